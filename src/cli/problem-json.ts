import { describeProblem, type Place } from "../domain/place.ts";
import type { Row, RowProblem } from "../domain/row.ts";

/** A problem as `--json` prints it. */
export function problemJson(row: Row, problem: RowProblem): object {
  const { code, column = null, value = null } = problem;
  return { ...placeJson(row), column, value, code, message: describeProblem(row, problem) };
}

/** Where a row is, with its file where there are several. */
export function placeJson({ row, line, source, resultsFile }: Place): object {
  return {
    ...{ row, line },
    ...(source === undefined ? {} : { source }),
    ...(resultsFile === undefined ? {} : { results_file: resultsFile }),
  };
}
