import { partLimit } from "../compression.ts";
import { type NumberDisplay, patternForm, plainDisplay } from "./number-text.ts";
import { readAttributes } from "./parse-xml.ts";
import { createAllowance, readWholeXmlPart } from "./read-xml-part.ts";
import type { ZipArchive } from "./zip-archive.ts";

/** How each style of an .xlsx shows a number, by the style's number; undefined where it has a format that is not there. */
export async function readXlsxNumberFormats(
  archive: ZipArchive,
  part: string,
): Promise<readonly (NumberDisplay | undefined)[]> {
  const custom = new Map<number, NumberDisplay>();
  const formats: number[] = [];
  const keep = createAllowance();
  let inCellStyles = false;
  await readWholeXmlPart(archive, part, partLimit, {
    open(tag, written) {
      if (tag === "cellXfs") inCellStyles = true;
      else if (tag === "numFmt") {
        const attributes = readAttributes(written);
        const code = attributes.get("formatCode") ?? "";
        keep(8 * code.length);
        custom.set(Number(attributes.get("numFmtId")), displayOfCode(code));
      } else if (tag === "xf" && inCellStyles) {
        keep(0);
        formats.push(Number(readAttributes(written).get("numFmtId") ?? 0));
      }
    },
    close(tag) {
      if (tag === "cellXfs") inCellStyles = false;
    },
  });
  return formats.map((id) => custom.get(id) ?? (id < firstOwn ? builtinForm(id) : undefined));
}

/** The first number of a format that the workbook itself has to define. */
const firstOwn = 164;
const day: NumberDisplay = { kind: "moment", hasDay: true, hasTime: false };
const time: NumberDisplay = { kind: "moment", hasDay: false, hasTime: true };

/** Formats that a workbook names by number only (ECMA-376 part 1, 18.8.30). */
export function builtinForm(id: number): NumberDisplay {
  if (id === 22) return { kind: "moment", hasDay: true, hasTime: true };
  if (id === 46) return { kind: "duration" };
  const isTime = (id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id === 45 || id === 47;
  if (isTime) return time;
  const isDay = (id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  return isDay ? day : plainDisplay;
}

/** What programs allow; no number has as many digits. */
const maxCodeChars = 255;

/** What a format code does to a number: its first section decides, unless that is for some numbers only. */
export function displayOfCode(code: string): NumberDisplay {
  if (code.length > maxCodeChars) return plainDisplay;
  const sections = sectionsOf(code).map((parts) => ({
    isFor: numberRange(parts),
    form: formOfSection(parts),
  }));
  const formFor = (number: number) =>
    sections.find(({ isFor }) => isFor?.(number) ?? true)?.form ?? plainDisplay;
  return sections[0]?.isFor === undefined ? formFor(0) : { kind: "choice", formFor };
}

function formOfSection(parts: readonly FormatPart[]): NumberDisplay {
  const letters = parts.flatMap((part) => (part.kind === "code" ? [part.text.toLowerCase()] : []));
  const word = letters.join("");
  if (word === "general") return plainDisplay;
  if (parts.some(({ kind, text }) => kind === "bracket" && /^(h+|m+|s+)$/i.test(text))) {
    return { kind: "duration" };
  }
  const hasTime = /[hs]/.test(word) || word.includes("am/pm");
  const hasDay = /[yd]/.test(word) || (!hasTime && word.includes("m"));
  if (hasDay || hasTime) return { kind: "moment", hasDay, hasTime };
  return digitsForm(parts);
}

/** Whether a section is for a number, as `[<=999]` says it; `[>=0]` is what a first section is for anyway. */
function numberRange(parts: readonly FormatPart[]): ((number: number) => boolean) | undefined {
  const ranges = parts.flatMap(({ kind, text }) => {
    const [, sign = "", limit] = /^([<>=]{1,2})(-?\d+(?:\.\d+)?)$/.exec(text) ?? [];
    if (kind !== "bracket" || limit === undefined || /^>=?0+$/.test(text)) return [];
    const signOf = (number: number) => "<=>".charAt(Math.sign(number - Number(limit)) + 1);
    return [(number: number) => sign.includes(signOf(number))];
  });
  return ranges[0];
}

interface FormatPart {
  readonly kind: "code" | "literal" | "bracket";
  readonly text: string;
}

/** An unclosed quote or bracket extends to the end: else each would be searched for its other half. */
const tokenForm = /"([^"]*)(?:"|$)|\\(.)|[_*](.)|\[([^\]]*)(?:\]|$)|(.)/gsu;

function sectionsOf(code: string): FormatPart[][] {
  let parts: FormatPart[] = [];
  const sections = [parts];
  for (const [token, quoted, escaped, , bracket, plainText] of code.matchAll(tokenForm)) {
    if (plainText === ";") {
      parts = [];
      sections.push(parts);
    } else if (bracket !== undefined) parts.push({ kind: "bracket", text: bracket });
    else if (plainText !== undefined) parts.push({ kind: "code", text: plainText });
    else if (!/^[_*]/.test(token)) parts.push({ kind: "literal", text: quoted ?? escaped ?? "" });
  }
  return sections;
}

/** Zeros and what may stand between them; anything else, such as `%`, leaves the number plain. */
function digitsForm(parts: readonly FormatPart[]): NumberDisplay {
  const pattern: (string | { readonly otherwise: string })[] = [];
  let decimals: number | undefined;
  let hasZero = false;
  for (const [at, { kind, text }] of parts.entries()) {
    if (kind === "bracket") continue; // a colour, a language or a range does not change the digits
    if (kind === "code" && text === "." && decimals === undefined) decimals = 0;
    else if (kind === "code" && text === "0" && decimals !== undefined) decimals++;
    else if (kind === "code" && text === "#" && !hasZero && isDigitPlace(parts[at + 1])) continue;
    else if (kind === "code" && text === "$") continue;
    else if (kind === "code" && !/[0\-() /+:]/.test(text) && !(text === "#" && hasZero))
      return plainDisplay;
    else if (decimals === undefined) {
      const isPlace = kind === "code" && (text === "0" || text === "#");
      hasZero ||= isPlace;
      pattern.push(isPlace ? { otherwise: text === "0" ? "0" : "" } : text);
    } else if (text.trim() !== "") return plainDisplay;
  }
  return patternForm(pattern, decimals ?? 0);
}

/** Whether a number may have a digit there. A `#` before that shows nothing that has to be there. */
function isDigitPlace(part: FormatPart | undefined): boolean {
  return part?.kind === "code" && /[#0]/.test(part.text);
}
