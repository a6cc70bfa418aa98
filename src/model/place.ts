import { oneLine } from "./escape-text.ts";
import { cutTo, problemText, type RowProblem } from "./row.ts";

export interface Place {
  readonly row: number;
  /** Undefined where the line was lost: a results file may lack it. */
  readonly line: number | undefined;
  /** The file that the row is from, if there are several. */
  readonly source?: string | undefined;
  /** The file in which the line is, if that is a results file. */
  readonly resultsFile?: string | undefined;
}

export function placeOf({ row, line, source, resultsFile }: Place): Place {
  return { row, line, source, resultsFile };
}

/**
 * `row 42 (line 57)`. The file of the line is named where there are several, and in a retry, where the
 * number of the row is that in the original input: `row 42 (line 3 of people.failed.csv)`.
 */
export function describePlace(place: Place): string {
  return `row ${describeNumber(place)}`;
}

const longestShownProblem = 1000;

/** For people: `row 42 (line 57), column "Signup": "31/02/2024" is not …`, cut when very long. */
export function describeProblem(place: Place, problem: RowProblem): string {
  const separator = problem.column === undefined ? ": " : ", ";
  const text = cutTo(longestShownProblem, problemText(problem));
  return `${describePlace(place)}${separator}${text}`;
}

/** `rows 7 (line 8), 8 (line 9), …` @param hasMore whether these are only the first */
export function describePlaces(places: readonly Place[], hasMore: boolean): string {
  const word = places.length === 1 && !hasMore ? "row" : "rows";
  return `${word} ${places.map(describeNumber).join(", ")}${hasMore ? ", …" : ""}`;
}

function describeNumber({ row, line, source, resultsFile = source }: Place): string {
  const file = resultsFile === undefined ? "" : ` of ${oneLine(resultsFile)}`;
  return line === undefined ? String(row) : `${row} (line ${line}${file})`;
}
