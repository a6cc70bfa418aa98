import { quote } from "../model/row.ts";
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
    const message = `${cells(found, "holds", "hold")} text that may mean a missing value (${words.join(", ")}): clear ${found.count === 1 ? "it" : "them"} if so`;
    return { message, mappingKeys: { null_values: words } };
  },
});

/**
 * What programs write for a missing value, or for a formula that failed. Names are not on the list: Null is a surname,
 * and NA is Namibia.
 */
const nullWords: ReadonlySet<string> = new Set([
  ...["NULL", "null", "(null)", "<null>", "\\N", "NaN", "nan", "nil", "None", "undefined"],
  ...["N/A", "n/a", "#N/A", "n.a.", "N.A.", "-", "--", "---", "–", "—"],
  ...["#NAME?", "#REF!", "#VALUE!", "#DIV/0!", "#NUM!", "#NULL!"],
]);
const longestNullWord = Math.max(...[...nullWords].map((word) => word.length));

/** UTF-8 that a program read as windows-1252 (or Latin-1) and saved as UTF-8: `MÃ¼ller`, `donâ€™t`. */
export const doubleEncoding: Lint = ({ asText, knownCells }) => {
  if (!asText) return undefined;
  return {
    kind: "double_encoding",
    isDamage: true,
    features: feature.utf8Lead,
    classOf: (cell) => (doubled.test(cell) && !knownCells.has(cell) ? "doubled" : undefined),
    judge(found) {
      const [original] = found.first.flatMap(({ value = "" }) => undoDoubleEncoding(value) ?? []);
      const example = original === undefined ? "" : ` (such as ${quote(original)})`;
      const message = `${cells(found, "seems", "seem")} to be UTF-8 that was read as windows-1252${example}: leave --encoding out if you gave it; else save the file again as UTF-8, from a program that shows its letters right`;
      return { message };
    },
  };
};

/** The characters of bytes 80 to 9F in windows-1252; in Latin-1 for the five that it lacks. */
const from80To9f = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

const any = `[${from80To9f}\u0080-\u00bf]`;
/** Those that follow a letter in no text: all but quotes, dashes, dots and space. */
const unusual = "[\u0080-\u009f€‚ƒ„†‡ˆ‰Š‹ŒŽ˜šœžŸ\u00a1-\u00ba\u00bc-\u00bf]";

const doubled = new RegExp(
  [
    // Letters of Western and Central Europe, and the symbols of Latin-1.
    `[ÂÃÄÅ]${unusual}`,
    `(?<!\\p{L})[ÂÃÄÅ]${any}(?=[\\p{L}\\d])`,
    `(?<=\\p{Ll})[ÂÃÄÅ]${any}`,
    "(?<!\\p{L})Ã\u00a0",
    // Cyrillic, Greek, Hebrew and Arabic letters, which come in sequences.
    `(?:[Â-ß]${any}){2}`,
    // Quotes, dashes, the euro and trade mark signs, and a byte order mark.
    "â[€\u0080]|â[‚\u0082]¬|â[„\u0084]¢|ï»¿",
  ].join("|"),
  "u",
);

/** The text before it was encoded twice; undefined if the cell is not such a text as a whole. */
export function undoDoubleEncoding(cell: string): string | undefined {
  const bytes = Array.from(cell, (character) => {
    const at = from80To9f.indexOf(character);
    return at < 0 ? (character.codePointAt(0) ?? 0) : 0x80 + at;
  });
  if (bytes.some((byte) => byte > 0xff)) return undefined;
  const text = Buffer.from(bytes).toString("utf8");
  return text.includes("\ufffd") ? undefined : text;
}
