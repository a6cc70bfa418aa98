import { existsSync } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { basename } from "node:path";
import { writeAtomically } from "../model/disk/atomic-file.ts";
import { cannotStart, reasonOf } from "../model/errors.ts";
import type { GivenReading } from "../model/reading.ts";
import type { StopSignal } from "../model/stop.ts";
import { checkImport } from "../run/check/check.ts";
import { type CellCounts, createCellCounts } from "../run/check/count-cells.ts";
import { previewRow } from "../run/check/preview.ts";
import { MappingDraft } from "../run/options/input.ts";
import { MappingInvalidError, readMapping } from "../run/prepare/read-mapping.ts";
import type { Answer, Checked, RowQuestion, SaveAnswer, SaveRequest } from "./contract.ts";

export type MappingDocument = Awaited<ReturnType<typeof openMappingDocument>>;

/**
 * Opens the mapping file that the page shows, and the only one that it writes.
 *
 * @param input path of the only other file that is read
 * @throws CannotStartError if the page cannot edit it
 */
export async function openMappingDocument(given: string, input: string, reading: GivenReading) {
  // Through a link, so that a save replaces the file and not the link.
  const path = await realpath(given).catch(() => {
    throw cannotStart("mapping_not_found", given);
  });
  const draft = (text: string) => new MappingDraft(path, text);
  /** Blank if it was removed meanwhile, so that a page can write it again. */
  const read = async () =>
    existsSync(path) ? (await readFile(path, "utf8")).replaceAll("\r\n", "\n") : "";
  // What is wrong with its content is shown on the page; what is no text would be damaged by a save.
  await readMapping(path, async () => undefined).catch((error: { readonly code?: string }) => {
    if (error.code !== "mapping_invalid") throw error;
  });
  return {
    name: basename(path),
    input: basename(input),
    read,
    async save({ text, before }: SaveRequest): Promise<SaveAnswer> {
      try {
        const found = await read();
        if (found !== before && found !== text) return { kind: "changed", text: found };
        const { mode } = existsSync(path) ? await stat(path) : { mode: 0o644 };
        await writeAtomically(path, text, mode & 0o777);
        return { kind: "saved" };
      } catch (error) {
        return { kind: "failed", message: `The mapping cannot be written: ${reasonOf(error)}` };
      }
    },
    /** What a text in its place makes of a row: by the code that sends it. */
    row({ text, row, onlyInvalid = false }: RowQuestion, stop: StopSignal) {
      const asked = { input, mapping: draft(text), reading, row, onlyInvalid, stop };
      return answerOf(() => previewRow({ ...asked, withoutIds: true }));
    },
    /** What `check` says of all rows with that text. */
    check(text: string, stop: StopSignal) {
      let counts: CellCounts | undefined;
      const warnings: string[] = [];
      const asked = { input, mapping: draft(text), reading, stop };
      return answerOf<Checked>(async () => {
        const report = await checkImport(
          { ...asked, onWarning: (warning) => warnings.push(warning) },
          async ({ columns }) => {
            counts = createCellCounts(columns);
            return counts;
          },
        );
        return { ...report, warnings, columns: counts?.counted() ?? [] };
      });
    },
  };
}

async function answerOf<What>(work: () => Promise<What>): Promise<Answer<What>> {
  try {
    return { kind: "is", what: await work() };
  } catch (error) {
    return error instanceof MappingInvalidError
      ? { kind: "document_problems", problems: error.problems }
      : { kind: "refused", message: reasonOf(error) };
  }
}
