import { partLimit } from "../compression.ts";
import type { DateSystem } from "./number-text.ts";
import { readAttributes } from "./parse-xml.ts";
import { createAllowance, readWholeXmlPart } from "./read-xml-part.ts";
import { documentNotSheet, type Sheet, type Workbook } from "./sheet.ts";
import { readXlsxRows } from "./xlsx-rows.ts";
import { type ZipArchive, ZipError } from "./zip-archive.ts";

/** Opens an Office Open XML workbook (ECMA-376), transitional or strict. */
export async function openXlsx(archive: ZipArchive): Promise<Workbook> {
  const root = await readRelationships(archive, "");
  const book = [...root.values()].find(({ type }) => type === "officeDocument")?.path;
  if (book === undefined || !archive.has(book)) throw new ZipError("it has no workbook in it");
  if (/^(word|ppt)\//i.test(book)) throw new ZipError(documentNotSheet);
  if (!/\.xml$/i.test(book)) throw new ZipError("it is no .xlsx: save it as one");
  const related = await readRelationships(archive, book);
  const { listed, system } = await readBook(archive, book);
  const pathOf = (wanted: string) =>
    [...related.values()].find(({ type, path }) => type === wanted && archive.has(path))?.path;
  const parts = { strings: pathOf("sharedStrings"), styles: pathOf("styles"), system };

  const sheets = listed.flatMap(({ id, name, isVisible }): Sheet[] => {
    const part = related.get(id);
    if (part?.type !== "worksheet") return []; // a chart or a macro sheet has no rows
    const packedBytes = archive.packedBytes(part.path) + archive.packedBytes(parts.strings ?? "");
    const rows: Sheet["rows"] = (reading) => readXlsxRows(archive, part.path, parts, reading);
    return [{ name, isVisible, packedBytes, rows }];
  });
  return { sheets };
}

interface Relationship {
  /** The last part of the type's URI, in which transitional and strict agree. */
  readonly type: string;
  readonly path: string;
}

/** @param part whose relationships; blank for those of the archive */
async function readRelationships(
  archive: ZipArchive,
  part: string,
): Promise<ReadonlyMap<string, Relationship>> {
  const slash = part.lastIndexOf("/") + 1;
  const folder = part.slice(0, slash);
  const related = new Map<string, Relationship>();
  const keep = createAllowance();
  await readWholeXmlPart(archive, `${folder}_rels/${part.slice(slash)}.rels`, partLimit, {
    open(tag, written) {
      if (tag !== "Relationship") return;
      const attributes = readAttributes(written);
      if (attributes.get("TargetMode") === "External") return;
      const type = attributes.get("Type")?.split("/").at(-1) ?? "";
      const path = resolve(folder, attributes.get("Target") ?? "");
      const id = attributes.get("Id") ?? "";
      keep(id.length + type.length + path.length);
      related.set(id, { type, path });
    },
  });
  return related;
}

function resolve(folder: string, target: string): string {
  const path: string[] = [];
  const given = target.replaceAll("\\", "/");
  for (const step of (given.startsWith("/") ? given : folder + given).split("/")) {
    if (step === "..") path.pop();
    else if (step !== "" && step !== ".") path.push(step);
  }
  return path.join("/");
}

interface ListedSheet {
  readonly id: string;
  readonly name: string;
  readonly isVisible: boolean;
}

async function readBook(
  archive: ZipArchive,
  part: string,
): Promise<{ listed: readonly ListedSheet[]; system: DateSystem }> {
  const listed: ListedSheet[] = [];
  const keep = createAllowance();
  let system: DateSystem = "1900";
  await readWholeXmlPart(archive, part, partLimit, {
    open(tag, written) {
      if (tag !== "sheet" && tag !== "workbookPr") return;
      const attributes = readAttributes(written);
      if (tag === "workbookPr") {
        if (["1", "true"].includes(attributes.get("date1904") ?? "")) system = "1904";
        return;
      }
      const id = [...attributes].find(([name]) => name.endsWith(":id"))?.[1] ?? "";
      const isVisible = (attributes.get("state") ?? "visible") === "visible";
      const name = attributes.get("name") ?? "";
      keep(id.length + name.length);
      listed.push({ id, name, isVisible });
    },
  });
  return { listed, system };
}
