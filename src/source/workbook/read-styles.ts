import { partLimit } from "../expansion-limit.ts";
import { builtinForm, formOf, type NumberForm } from "./number-format.ts";
import { readWholePart } from "./read-part.ts";
import { readAttributes } from "./xml-entities.ts";
import type { ZipArchive } from "./zip-archive.ts";

/** How each style of an .xlsx shows a number, by the style's number. */
export async function readStyles(
  archive: ZipArchive,
  part: string,
): Promise<readonly NumberForm[]> {
  const custom = new Map<number, NumberForm>();
  const formats: number[] = [];
  let inCellStyles = false;
  await readWholePart(archive, part, partLimit, {
    open(tag, written) {
      if (tag === "cellXfs") inCellStyles = true;
      else if (tag === "numFmt") {
        const attributes = readAttributes(written);
        custom.set(Number(attributes.get("numFmtId")), formOf(attributes.get("formatCode") ?? ""));
      } else if (tag === "xf" && inCellStyles) {
        formats.push(Number(readAttributes(written).get("numFmtId") ?? 0));
      }
    },
    close(tag) {
      if (tag === "cellXfs") inCellStyles = false;
    },
  });
  return formats.map((id) => custom.get(id) ?? builtinForm(id));
}
