import type { CellRuleMaker } from "../model/finding.ts";
import { sign } from "./glance.ts";
import { cells, createSightings, suggestKey } from "./sightings.ts";

/**
 * Texts that programs write where there is nothing. Names of people and places are not among them:
 * Null is a surname, and NA is Namibia.
 */
const words: ReadonlySet<string> = new Set([
  ...["NULL", "null", "(null)", "<null>", "\\N", "NaN", "nan", "nil", "None", "undefined"],
  ...["N/A", "n/a", "#N/A", "n.a.", "N.A.", "-", "--", "---", "–", "—"],
]);
const longestWord = Math.max(...[...words].map((word) => word.length));

/** Text that stands for nothing, and would be sent as text. */
export const nothingWords: CellRuleMaker = (use, accepts) => {
  const seen = createSightings();
  const counts = new Map<string, number>();
  return {
    signs: sign.standIn | sign.edge,
    see(cell, place, isSent) {
      if (!isSent || cell.length > longestWord + 2) return;
      const word = cell.trim();
      if (!words.has(word) || use.knownCells.has(word)) return;
      seen.add(place, cell);
      counts.set(word, (counts.get(word) ?? 0) + 1);
    },
    found() {
      if (seen.count === 0) return [];
      const found = [...counts.keys()];
      const message = `${cells(seen.count, "holds", "hold")} text that may stand for nothing (${found.join(", ")}): clear ${seen.count === 1 ? "it" : "them"} if so`;
      return [
        {
          kind: "nothing_words",
          column: use.column,
          count: seen.count,
          first: seen.first,
          message,
          ...suggestKey("null_values", found, accepts),
        },
      ];
    },
  };
};
