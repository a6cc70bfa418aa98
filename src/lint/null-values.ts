import { type CellRuleMaker, feature } from "./cell-rule.ts";
import { cells, createOccurrences } from "./occurrences.ts";
import { suggestKey } from "./suggestion.ts";

/**
 * What programs write for a missing value. Names are not on the list: Null is a surname, and NA is
 * Namibia.
 */
const words: ReadonlySet<string> = new Set([
  ...["NULL", "null", "(null)", "<null>", "\\N", "NaN", "nan", "nil", "None", "undefined"],
  ...["N/A", "n/a", "#N/A", "n.a.", "N.A.", "-", "--", "---", "–", "—"],
]);
const longestWord = Math.max(...[...words].map((word) => word.length));

/** Text that may stand for a missing value, but is sent as text. */
export const nullValues: CellRuleMaker = (use, accepts) => {
  const occurrences = createOccurrences();
  const found = new Set<string>();
  return {
    features: feature.placeholder | feature.edgeSpace,
    see(cell, place, isSent) {
      if (!isSent || cell.length > longestWord + 2) return;
      const word = cell.trim();
      if (!words.has(word) || use.knownCells.has(word)) return;
      occurrences.add(place, cell);
      found.add(word);
    },
    found() {
      const { count, first } = occurrences;
      if (count === 0) return [];
      const message = `${cells(count, "holds", "hold")} text that may stand for a missing value (${[...found].join(", ")}): clear ${count === 1 ? "it" : "them"} if so`;
      const suggestion = suggestKey("null_values", [...found], accepts);
      return [{ kind: "null_values", column: use.column, count, first, message, ...suggestion }];
    },
  };
};
