import { partLimit, rowsLimit } from "../compression.ts";
import { odsContent, readOdsRows } from "./ods-rows.ts";
import { readAttributes } from "./parse-xml.ts";
import { createAllowance, readWholeXmlPart } from "./read-xml-part.ts";
import { documentNotSheet, type Sheet, type Workbook } from "./sheet.ts";
import { type ZipArchive, ZipError } from "./zip-archive.ts";

/** What an OpenDocument file may hold in place of a spreadsheet. */
const documents = new Set(["drawing", "presentation", "text"]);

const manifest = "META-INF/manifest.xml";

/** Opens an OpenDocument spreadsheet (ODF 1.2). All of its sheets stand in one part. */
export async function openOds(archive: ZipArchive): Promise<Workbook> {
  await refuseEncrypted(archive);
  const packedBytes = archive.packedBytes(odsContent);
  const sheets: Sheet[] = [];
  const hiddenStyles = new Set<string>();
  const keep = createAllowance();
  let style = "";
  let depth = 0;
  let above = "";
  await readWholeXmlPart(archive, odsContent, rowsLimit, {
    open(tag, written) {
      if (above === "body" && documents.has(tag)) throw new ZipError(documentNotSheet);
      above = tag;
      if (tag === "style") style = readAttributes(written).get("style:name") ?? "";
      if (tag === "table-properties") {
        if (readAttributes(written).get("table:display") === "false") {
          keep(style.length);
          hiddenStyles.add(style);
        }
      }
      if (tag !== "table" || depth++ > 0) return;
      const attributes = readAttributes(written);
      const place = sheets.length;
      const name = attributes.get("table:name") ?? "";
      keep(name.length);
      sheets.push({
        name,
        isVisible: !hiddenStyles.has(attributes.get("table:style-name") ?? ""),
        packedBytes,
        rows: (reading) => readOdsRows(archive, place, reading),
      });
    },
    close(tag) {
      if (tag === "table") depth--;
    },
  });
  return { sheets };
}

async function refuseEncrypted(archive: ZipArchive) {
  if (!archive.has(manifest)) return;
  await readWholeXmlPart(archive, manifest, partLimit, {
    open(tag) {
      if (tag === "encryption-data") throw new ZipError("it has a password");
    },
  });
}
