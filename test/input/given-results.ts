import { stringify } from "csv-stringify/sync";
import { openResultsFile, type ResultsLine } from "../../src/input/open-results-file.ts";
import { type ResultsColumn, resultsColumns } from "../../src/model/results-columns.ts";
import { streamOf } from "./given-bytes.ts";

/** What a results file says of a line, where it differs from an event that was refused. */
export type Told = Partial<Record<ResultsColumn, string>>;

const rejected: Record<(typeof resultsColumns)[number], string> = {
  import_row: "1",
  import_line: "2",
  import_event: "1",
  import_status: "rejected",
  import_http_status: "422",
  import_attempts: "1",
  import_unanswered: "0",
  import_error_code: "http_422",
  import_error: "no such plan",
  import_event_id: "5e4f3c1a-0000-5000-8000-000000000001",
  import_input: "0123456789abcdef",
  import_part: "1",
  import_finished_at: "2024-05-01T10:00:00.000Z",
};

/** The text of a results file. */
export function resultsText(
  columns: readonly string[],
  lines: readonly { readonly cells: readonly string[]; readonly told?: Told }[],
  order: readonly string[] = [...columns, ...resultsColumns],
): string {
  const table = lines.map(({ cells, told }) => {
    const all: Record<string, string> = { ...rejected, ...told };
    columns.forEach((column, index) => {
      all[column] = cells[index] ?? "";
    });
    return order.map((name) => all[name] ?? "");
  });
  return stringify([[...order], ...table], { quoted_match: /[\r\ufeff]/ });
}

export async function readResults(text: string) {
  const { columns, batches, close } = await openResultsFile(streamOf(text));
  const lines: ResultsLine[] = [];
  for await (const batch of batches) lines.push(...batch);
  await close();
  return { columns, lines };
}

/** The one line of a results file with a name and a plan. */
export async function lineTold(told: Told): Promise<ResultsLine> {
  const cells = ["Ann", "pro"];
  const { lines } = await readResults(resultsText(["name", "plan"], [{ cells, told }]));
  const [line] = lines;
  if (line === undefined || lines.length !== 1) throw new Error(`${lines.length} lines, not 1`);
  return line;
}
