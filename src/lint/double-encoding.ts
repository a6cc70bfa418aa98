import type { CellRuleMaker } from "../model/finding.ts";
import { quote } from "../model/row.ts";
import { sign } from "./glance.ts";
import { cells, createSightings } from "./sightings.ts";

/** UTF-8 that some program took for windows-1252 (or Latin-1) and wrote anew: `MÃ¼ller`, `donâ€™t`. */
export const doubleEncoding: CellRuleMaker = (use) => {
  if (!use.asText) return undefined;
  const seen = createSightings();
  let example = "";
  return {
    signs: sign.lead,
    see(cell, place, isSent) {
      if (!isSent || !doubled.test(cell) || use.knownCells.has(cell)) return;
      seen.add(place, cell);
      if (example !== "") return;
      const before = decodeAgain(cell);
      if (before !== undefined) example = `, ${quote(before)} in the first of them`;
    },
    found() {
      const { count, first } = seen;
      if (count === 0) return [];
      const message = `${cells(count, "seems", "seem")} to be UTF-8 that was read as windows-1252, and to have held other letters before${example}: leave --encoding out if it was given; else save the file again as UTF-8, from where its letters are still right`;
      return [{ kind: "double_encoding", column: use.column, count, first, message }];
    },
  };
};

/** What stands in windows-1252 for the bytes from 80 to 9F; of the five it lacks, what Latin-1 has. */
const from80To9f = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

const any = `[${from80To9f}\u0080-\u00bf]`;
/** Those that do not follow a letter in any text: all but quotes, dashes, dots and space. */
const odd = "[\u0080-\u009f€‚ƒ„†‡ˆ‰Š‹ŒŽ˜šœžŸ\u00a1-\u00ba\u00bc-\u00bf]";

const doubled = new RegExp(
  [
    // Letters of Western and Central Europe, and the signs of Latin-1.
    `[ÂÃÄÅ]${odd}`,
    `(?<!\\p{L})[ÂÃÄÅ]${any}(?=[\\p{L}\\d])`,
    `(?<=\\p{Ll})[ÂÃÄÅ]${any}`,
    "(?<!\\p{L})Ã\u00a0",
    // Cyrillic, Greek, Hebrew and Arabic have them one after another.
    `(?:[Â-ß]${any}){2}`,
    // Quotes, dashes, euro and trade mark, and a byte order mark.
    "â[€\u0080]|â[‚\u0082]¬|â[„\u0084]¢|ï»¿",
  ].join("|"),
  "u",
);

/** The text as it was before; undefined if that is not known. */
export function decodeAgain(cell: string): string | undefined {
  const bytes = Array.from(cell, (character) => {
    const at = from80To9f.indexOf(character);
    return at < 0 ? (character.codePointAt(0) ?? 0) : 0x80 + at;
  });
  if (bytes.some((byte) => byte > 0xff)) return undefined;
  const text = Buffer.from(bytes).toString("utf8");
  return text.includes("\ufffd") ? undefined : text;
}
