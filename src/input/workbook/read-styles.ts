import { partLimit } from "../compression.ts";
import { createAllowance } from "./allowance.ts";
import { builtinForm, formOf, type NumberForm } from "./number-format.ts";
import { readAttributes } from "./parse-xml.ts";
import { readWholePart } from "./read-part.ts";
import type { ZipArchive } from "./zip-archive.ts";

/** How each style of an .xlsx shows a number, by the style's number. */
export async function readStyles(
  archive: ZipArchive,
  part: string,
): Promise<readonly NumberForm[]> {
  const custom = new Map<number, NumberForm>();
  const formats: number[] = [];
  const keep = createAllowance();
  let inCellStyles = false;
  await readWholePart(archive, part, partLimit, {
    open(tag, written) {
      if (tag === "cellXfs") inCellStyles = true;
      else if (tag === "numFmt") {
        const attributes = readAttributes(written);
        const code = attributes.get("formatCode") ?? "";
        keep(8 * code.length);
        custom.set(Number(attributes.get("numFmtId")), formOf(code));
      } else if (tag === "xf" && inCellStyles) {
        keep(0);
        formats.push(Number(readAttributes(written).get("numFmtId") ?? 0));
      }
    },
    close(tag) {
      if (tag === "cellXfs") inCellStyles = false;
    },
  });
  return formats.map((id) => custom.get(id) ?? builtinForm(id));
}
