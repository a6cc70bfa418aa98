import { feature } from "./cell-features.ts";
import { cells, type Lint } from "./lint.ts";

/** Space around a cell that is sent with it. */
export const surroundingSpaces: Lint = ({ keepsSpace, member }) => {
  if (!keepsSpace) return undefined;
  const transform = [member?.spec.transform ?? []].flat();
  const trimmed = transform.length === 0 ? "trim" : ["trim", ...transform];
  return {
    kind: "surrounding_spaces",
    features: feature.edgeSpace,
    classOf(cell) {
      const { length } = cell.trim();
      return length > 0 && length < cell.length ? "spaces" : undefined;
    },
    judge(found) {
      const message = `${cells(found, "begins or ends", "begin or end")} with space, which is sent as part of the text`;
      return transform.includes("trim")
        ? { message }
        : { message, memberKeys: { transform: trimmed } };
    },
  };
};

/** No-break spaces within a cell. */
export const nonBreakingSpaces: Lint = ({ asText, keepsSpace }) => {
  if (!asText && !keepsSpace) return undefined;
  return {
    kind: "non_breaking_spaces",
    features: feature.noBreakSpace,
    classOf: (cell) => (noBreakSpace.test(cell.trim()) ? "spaces" : undefined),
    judge(found) {
      const message = `${cells(found, "holds", "hold")} a non-breaking space, which looks like a space but is another character: replace it in the file unless it is intended`;
      return { message };
    },
  };
};

const noBreakSpace = /[\u00a0\u202f\u2007]/;

/** Text that may stand for a missing value, but is sent as text. */
export const nullValues: Lint = ({ knownCells }) => ({
  kind: "null_values",
  features: feature.placeholder | feature.edgeSpace,
  classOf(cell) {
    if (cell.length > longestNullWord + 2) return undefined;
    const word = cell.trim();
    return nullWords.has(word) && !knownCells.has(word) ? word : undefined;
  },
  judge(found, classes) {
    const words = [...classes.keys()];
    const message = `${cells(found, "holds", "hold")} text that may stand for a missing value (${words.join(", ")}): clear ${found.count === 1 ? "it" : "them"} if so`;
    return { message, mappingKeys: { null_values: words } };
  },
});

/**
 * What programs write for a missing value. Names are not on the list: Null is a surname, and NA is
 * Namibia.
 */
const nullWords: ReadonlySet<string> = new Set([
  ...["NULL", "null", "(null)", "<null>", "\\N", "NaN", "nan", "nil", "None", "undefined"],
  ...["N/A", "n/a", "#N/A", "n.a.", "N.A.", "-", "--", "---", "–", "—"],
]);
const longestNullWord = Math.max(...[...nullWords].map((word) => word.length));

/** What spreadsheet programs show if a formula failed, or a number is too wide for its column. */
export const spreadsheetErrors: Lint = ({ asText, knownCells }) => {
  if (!asText) return undefined;
  return {
    kind: "spreadsheet_errors",
    features: feature.placeholder | feature.edgeSpace,
    classOf(cell) {
      if (cell.length > maxErrorChars) return undefined;
      const text = cell.trim();
      if (!errorValue.test(text) || knownCells.has(text)) return undefined;
      return text.startsWith("##") ? "####" : text;
    },
    judge(found, classes) {
      const message = `${cells(found, "holds", "hold")} what a spreadsheet program shows in place of a value (${[...classes.keys()].join(", ")}): get the value from the source of the file`;
      return { message };
    },
  };
};

const maxErrorChars = 255;
const errorValue =
  /^(?:#{3,}|#(?:NAME\?|REF!|VALUE!|DIV\/0!|NUM!|NULL!|SPILL!|CALC!|FIELD!|BLOCKED!|CONNECT!|UNKNOWN!|GETTING_DATA|ERROR!)|Err:5\d\d)$/;
