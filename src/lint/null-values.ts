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
  const counts = new Map<string, number>();
  return {
    features: feature.placeholder | feature.edgeSpace,
    see(cell, place, isSent) {
      if (!isSent || cell.length > longestWord + 2) return;
      const word = cell.trim();
      if (!words.has(word) || use.knownCells.has(word)) return;
      occurrences.add(place, cell);
      counts.set(word, (counts.get(word) ?? 0) + 1);
    },
    found() {
      if (occurrences.count === 0) return [];
      const found = [...counts.keys()];
      const message = `${cells(occurrences.count, "holds", "hold")} text that may stand for a missing value (${found.join(", ")}): clear ${occurrences.count === 1 ? "it" : "them"} if so`;
      return [
        {
          kind: "null_values",
          column: use.column,
          count: occurrences.count,
          first: occurrences.first,
          message,
          ...suggestKey("null_values", found, accepts),
        },
      ];
    },
  };
};
