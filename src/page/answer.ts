import { reasonOf } from "../model/errors.ts";
import type { GivenReading } from "../model/reading.ts";
import type { StopSignal } from "../model/stop.ts";
import { type CheckRequest, checkImport } from "../run/check/check.ts";
import { type CellCounts, createCellCounts } from "../run/check/count-cells.ts";
import { previewRow } from "../run/check/preview.ts";
import { MappingInvalidError } from "../run/prepare/read-mapping.ts";
import type { Answer, Checked, RowQuestion } from "./contract.ts";
import type { MappingDocument } from "./mapping-document.ts";

/** Says what texts make of a file: by the code that checks it, and sends it. */
export function createAnswers(input: string, reading: GivenReading, document: MappingDocument) {
  return {
    row({ text, row, onlyInvalid = false }: RowQuestion, stop: StopSignal) {
      const mapping = document.draft(text);
      const asked = { input, mapping, reading, row, onlyInvalid, stop, withoutIds: true };
      return answerOf(() => previewRow(asked));
    },
    check(text: string, stop: StopSignal) {
      let counts: CellCounts | undefined;
      const warnings: string[] = [];
      const options: CheckRequest = {
        input,
        mapping: document.draft(text),
        reading,
        stop,
        onWarning: (warning) => warnings.push(warning),
        onRow: (row) => counts?.see(row),
      };
      return answerOf<Checked>(async () => {
        const report = await checkImport(options, async ({ columns }) => {
          counts = createCellCounts(columns);
          return undefined;
        });
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
