import { describeProblem, type Place } from "../model/place.ts";
import type { Row, RowProblem } from "../model/row.ts";

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
