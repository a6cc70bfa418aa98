import { systemClock } from "../model/clock.ts";
import { reasonOf } from "../model/errors.ts";
import type { GivenReading } from "../model/reading.ts";
import type { StopSignal } from "../model/stop.ts";
import { checkImport } from "../run/check/check.ts";
import { type CellCounts, createCellCounts } from "../run/check/count-cells.ts";
import { previewRow } from "../run/check/preview.ts";
import { MappingInvalidError } from "../run/prepare/read-mapping.ts";
import type { AnswerPart, Question } from "./contract.ts";
import type { MappingDocument } from "./mapping-document.ts";

const progressEveryMs = 200;

/** Answers what a text makes of a file: by the code that checks it, and sends it. */
export async function answer(
  { text, row, onlyInvalid = false, all = false }: Question,
  input: string,
  reading: GivenReading,
  document: MappingDocument,
  stop: StopSignal,
  tell: (part: AnswerPart) => void,
): Promise<void> {
  const mapping = document.draft(text);
  try {
    const shown = await previewRow({
      input,
      mapping,
      reading,
      row,
      onlyInvalid,
      stop,
      withoutIds: true,
    });
    if (stop.aborted) return;
    tell({ kind: "row", preview: shown });
    if (!all) return;
    let counts: CellCounts | undefined;
    let toldAt = systemClock.now();
    const warnings: string[] = [];
    const report = await checkImport(
      {
        input,
        mapping,
        reading,
        stop,
        onWarning: (warning) => warnings.push(warning),
        onRow: (one) => counts?.see(one),
        onProgress(progress) {
          if (systemClock.now() - toldAt < progressEveryMs) return;
          toldAt = systemClock.now();
          tell({ kind: "progress", ...progress });
        },
      },
      async ({ columns }) => {
        counts = createCellCounts(columns);
        return undefined;
      },
    );
    if (stop.aborted) return;
    const columns = counts?.counted() ?? [];
    tell({ kind: "checked", report: { ...report, warnings, columns } });
  } catch (error) {
    if (stop.aborted) return;
    if (error instanceof MappingInvalidError) {
      tell({ kind: "document_problems", problems: error.problems });
    } else tell({ kind: "refused", message: reasonOf(error) });
  }
}
