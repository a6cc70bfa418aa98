import { isBlank } from "../columns.ts";
import { compileTransform } from "../transform.ts";
import type { ConversionSpec, TransformStep } from "../value-schema.ts";
import type { Recognised } from "./recognise-header.ts";
import {
  type DateGuess,
  type DayOrder,
  fits,
  guessBoolean,
  guessDate,
  guessList,
  guessNumber,
  mayBeDate,
  mayBeNumber,
  misfitsOf,
} from "./recognise-type.ts";

/** What a column becomes, and why. */
export interface InferredMember {
  readonly transform: readonly TransformStep[];
  readonly conversion: ConversionSpec;
  /** What its cells look like, for the comment before their count. */
  readonly evidence: string;
  readonly notes: readonly string[];
  readonly otherOrder?: DateGuess["other"];
  /** The cells that do not fit: their rows are invalid. */
  readonly misfits?: readonly string[];
  /** A type that too few cells have, and the cells that do not. */
  readonly tooFew?: { readonly evidence: string; readonly misfits: readonly string[] };
}

/**
 * Guesses the type of a column. Every given cell maps with the result, but for its misfits.
 *
 * @param cells the ones that are not blank
 */
export function inferMember(
  recognised: Recognised,
  given: readonly string[],
  usual: DayOrder,
): InferredMember {
  const isMarked = haveApostrophes(given);
  const cells = isMarked ? given.map(withoutApostrophe) : given;
  const inferred = inferAny(recognised, cells, usual, isMarked);
  const found = lacksAddresses(recognised, cells)
    ? { ...inferred, notes: [noAddresses, ...inferred.notes] }
    : inferred;
  if (!isMarked) return found;
  const marked = (stripped: readonly string[] = []) => {
    const left = new Set(stripped);
    return given.filter((cell) => left.has(withoutApostrophe(cell)));
  };
  return {
    ...found,
    transform: [{ strip_prefix: "'" }, ...found.transform],
    notes: ["exported with an apostrophe in front, which is removed", ...found.notes],
    ...(found.misfits === undefined ? {} : { misfits: marked(found.misfits) }),
    ...(found.tooFew === undefined
      ? {}
      : { tooFew: { ...found.tooFew, misfits: marked(found.tooFew.misfits) } }),
  };
}

const noAddresses = "the column is called so, but no cell is an email address";

/** The columns of such a file can be shifted. */
function lacksAddresses({ member }: Recognised, cells: readonly string[]): boolean {
  return member === "email" && cells.length > 0 && !cells.some((cell) => cell.includes("@"));
}

/** Exports put an apostrophe before digits and signs, so that a spreadsheet keeps them as text. */
function haveApostrophes(cells: readonly string[]): boolean {
  const marked = cells.filter((cell) => /^'[\d+=@-][^']*$/.test(cell)).length;
  return marked > 0 && marked * 2 >= cells.length;
}

function withoutApostrophe(cell: string): string {
  return cell.startsWith("'") ? cell.slice(1) : cell;
}

/** @param isText whether the export says that the cells are text */
function inferAny(
  recognised: Recognised,
  cells: readonly string[],
  usual: DayOrder,
  isText: boolean,
): InferredMember {
  const exact = inferExact(recognised, cells, usual, isText);
  const { kind } = recognised;
  const isOpen = kind === undefined || typedKinds.has(kind);
  if (exact.isSure || !isOpen || isText) return exact.member;
  const most = inferMost(recognised, cells, usual);
  if (most?.misfits === undefined) return exact.member;
  const { misfits } = most;
  if (cells.length >= minCellsOfMost && misfits.length <= cells.length * (1 - minShareOfMost)) {
    return most;
  }
  return { ...exact.member, tooFew: { evidence: most.evidence, misfits } };
}

/** Kinds of columns whose cells have a type. The others are text, whatever most cells look like. */
const typedKinds: ReadonlySet<string> = new Set(["coordinate", "date", "email", "flag", "money"]);

/** With fewer cells, all have to agree. */
const minCellsOfMost = 20;
const minShareOfMost = 0.95;
/** With a smaller share, a type is not even mentioned. */
const minShareOfMention = 0.5;

/** The type that every cell has; it is not sure where that is text for want of another. */
function inferExact(
  { kind }: Recognised,
  cells: readonly string[],
  usual: DayOrder,
  isText: boolean,
): { readonly member: InferredMember; readonly isSure: boolean } {
  const sure = (member: InferredMember) => ({ member, isSure: true });
  if (cells.length === 0) return sure(text([], "blank"));
  const email = cells.every((cell) => cell.includes("@")) ? asEmail(cells) : undefined;
  if (email !== undefined) return sure(email);
  if (kind === "postal_code" && cells.some((cell) => /\d/.test(cell)))
    return sure(text(cells, "postal code"));
  if (kind === "phone" && isPhone(cells)) return sure(text(cells, "phone number"));
  if (kind === "id" && cells.every(mayBeId) && !cells.every(isFraction)) return sure(asId(cells));
  if (kind === "text" || isText) return sure(asText(cells));
  const date = guessDate(cells, kind === "date", usual);
  if (date !== undefined) return sure(asDate(date));
  // SQL Server pads days and hours with spaces.
  const padded = cells.some(isPadded)
    ? guessDate(cells.map(collapsed), kind === "date", usual)
    : undefined;
  if (padded !== undefined) return sure({ ...asDate(padded), transform: ["collapse_spaces"] });
  const flag = guessBoolean(cells, kind === "flag");
  if (flag !== undefined) return sure(converted(flag, "boolean"));
  // An extension such as 4711 is no number either.
  if (kind === "phone" && cells.every(mayBeNumber)) return sure(text(cells, "phone number"));
  const sign = cells[0]?.trim() ?? "";
  const isMark = /^x$/i.test(sign) && cells.every((cell) => cell.trim() === sign);
  if (isMark && (kind === undefined || kind === "flag")) {
    // SAP and spreadsheets write so. Whether blank is no, or not known, only a person can say.
    const note = `if ${sign} is yes and a blank cell is no: map: { ${sign}: true }, default: false`;
    return sure(text(cells, "text", note));
  }
  if (kind === undefined && haveOneLength(cells)) {
    const note = "all of one length, as codes are: add type: integer where they count";
    return sure(text(cells, "text", note));
  }
  const number = guessNumber(cells);
  if (number !== undefined) {
    const member = converted(number.conversion, number.conversion.type ?? "", number.note);
    return { member, isSure: kind !== "date" };
  }
  const money = asMoney(cells);
  if (money !== undefined) return sure(money);
  if (cells.every((cell) => /^\s*[[{]/.test(cell)) && fits({ type: "json" }, cells)) {
    return sure(converted({ type: "json" }, "JSON"));
  }
  const list = guessList(cells, kind === "list");
  if (list !== undefined) {
    return sure(converted(list, `list, items between ${JSON.stringify(list.separator)}`));
  }
  return { member: asText(cells), isSure: false };
}

/** Numbers with the same sign of a currency before or after them, in all cells or in all but a few. */
function asMoney(cells: readonly string[], maxMisfits = 0): InferredMember | undefined {
  const sign = cells
    .slice(0, maxMisfits + 1)
    .join(" ")
    .match(/[$€£¥]/)?.[0];
  if (sign === undefined) return undefined;
  const marked = cells.filter((cell) => cell.split(sign).length === 2);
  const others = cells.length - marked.length;
  if (others > maxMisfits) return undefined;
  const amounts = marked.map((cell) => cell.replace(sign, "")).filter(mayBeNumber);
  const left = maxMisfits - others - (marked.length - amounts.length);
  const number = left < 0 ? undefined : guessNumber(amounts, left);
  if (number === undefined) return undefined;
  const { conversion, note } = number;
  return {
    ...converted(conversion, `${conversion.type} with ${sign}, which is removed`, note),
    transform: [{ replace: { find: sign, with: "" } }],
  };
}

function isPadded(cell: string): boolean {
  return /\S {2,}\S/.test(cell);
}

function collapsed(cell: string): string {
  return cell.replaceAll(/\s+/g, " ").trim();
}

/** The type that most cells have. */
function inferMost(
  recognised: Recognised,
  cells: readonly string[],
  usual: DayOrder,
): InferredMember | undefined {
  const { kind } = recognised;
  const limit = Math.floor(cells.length * (1 - minShareOfMention));
  const emails = cells.filter((cell) => cell.includes("@"));
  if (cells.length - emails.length <= limit) return withMisfits(emailMember, cells, limit);
  const isNumeric = (cell: string) => /^\s*[\d.]+\s*$/.test(cell) && !/\..*\./.test(cell);
  const dates = cells.filter((cell) => mayBeDate(cell) && !isNumeric(cell));
  const days = kind === "date" && dates.length * 2 < cells.length ? cells.filter(isNumeric) : dates;
  if (cells.length - days.length <= limit) {
    const date = guessDate(days, kind === "date", usual, limit - (cells.length - days.length));
    if (date !== undefined) return withMisfits(asDate(date), cells, limit);
  }
  if (cells.some(isPadded)) {
    const most = inferMost(recognised, cells.map(collapsed), usual);
    if (most?.conversion.type === "date" || most?.conversion.type === "datetime") {
      return withMisfits({ ...most, transform: ["collapse_spaces"] }, cells, limit);
    }
  }
  const flag = guessBoolean(cells, kind === "flag", limit);
  if (flag !== undefined) return withMisfits(converted(flag, "boolean"), cells, limit);
  const numbers = cells.filter(mayBeNumber);
  if (cells.length - numbers.length > limit) {
    const money = asMoney(cells, limit);
    return money === undefined ? undefined : withMisfits(money, cells, limit);
  }
  if (kind === undefined && haveOneLength(numbers)) return undefined;
  const number = guessNumber(numbers, limit - (cells.length - numbers.length));
  if (number === undefined) return undefined;
  const { conversion, note } = number;
  const found = withMisfits(converted(conversion, conversion.type ?? "", note), cells, limit);
  // 12a and A7 beside 12 are codes, of which no digit counts.
  const codes = found?.misfits?.filter((cell) => /\d/.test(cell) && /\p{L}/u.test(cell)) ?? [];
  return codes.length > 0 ? undefined : found;
}

function withMisfits(
  member: InferredMember,
  cells: readonly string[],
  limit: number,
): InferredMember | undefined {
  const transform = compileTransform([...member.transform]);
  const prepare = (cell: string) => transform?.(cell) ?? cell;
  const odd = new Set(misfitsOf(member.conversion, cells.map(prepare)));
  const misfits = cells.filter((cell) => odd.has(prepare(cell)));
  return misfits.length > limit ? undefined : { ...member, misfits };
}

const emailMember: InferredMember = {
  transform: ["trim", "lowercase"],
  conversion: { format: "email" },
  evidence: "email address",
  notes: [],
};

function asEmail(cells: readonly string[]): InferredMember | undefined {
  return fits(emailMember.conversion, cells.map(plainAddress)) ? emailMember : undefined;
}

function plainAddress(cell: string): string {
  return cell.trim().toLowerCase();
}

function mayBeId(cell: string): boolean {
  return /\d/.test(cell) && !/[,;|]/.test(cell);
}

/** The header "A-Number" can also mean a number. */
function isFraction(cell: string): boolean {
  return /^\s*-?\d+\.\d+\s*$/.test(cell);
}

function asId(cells: readonly string[]): InferredMember {
  const found = asText(cells);
  const isDigits = cells.every((cell) => /^\s*\d+\s*$/.test(cell));
  return { ...found, evidence: isDigits ? "id, kept as text with its zeros" : "id" };
}

/** Text; with the reason why it is no number if it looks like one. */
function asText(cells: readonly string[]): InferredMember {
  const zeros = cells.filter((cell) => /^\s*-?0\d+\s*$/.test(cell)).length;
  const isDigits = cells.every((cell) => /^\s*-?\d+\s*$/.test(cell));
  if (!isDigits) return text(cells, "text");
  if (zeros > 0)
    return text(
      cells,
      "text",
      `${zeros.toLocaleString("en")} with zeros in front, which a number would lose`,
    );
  return fits({ type: "integer" }, cells)
    ? text(cells, "text")
    : text(cells, "text", "more digits than a number keeps exact");
}

function text(cells: readonly string[], evidence: string, ...notes: string[]): InferredMember {
  const hasSpace = cells.some((cell) => cell !== cell.trim());
  return { transform: hasSpace ? ["trim"] : [], conversion: {}, evidence, notes };
}

function converted(conversion: ConversionSpec, evidence: string, note?: string): InferredMember {
  return { transform: [], conversion, evidence, notes: note === undefined ? [] : [note] };
}

function asDate({ conversion, other }: DateGuess): InferredMember {
  const { type, format, timezone } = conversion;
  const written = typeof format === "string" ? `${type} as ${format}` : `${type}, ISO 8601`;
  const notes: string[] = [];
  if (timezone !== undefined) {
    notes.push("times without a zone are taken as UTC: set timezone, such as Europe/Amsterdam");
  }
  const found = converted(conversion, written);
  return { ...found, notes, ...(other === undefined ? {} : { otherOrder: other }) };
}

const minCodes = 20;
const minCodeLength = 6;

/** Many digits, always equally many: ids, although the header does not say so. */
function haveOneLength(cells: readonly string[]): boolean {
  const length = cells[0]?.trim().length ?? 0;
  return (
    cells.length >= minCodes &&
    length >= minCodeLength &&
    cells.every((cell) => cell.trim().length === length && /^\s*\d+\s*$/.test(cell))
  );
}

function isPhone(cells: readonly string[]): boolean {
  const phones = cells.filter((cell) => (cell.match(/\d/g)?.length ?? 0) >= 5).length;
  return phones * 2 >= cells.length;
}

/** The cells that are neither blank nor a null value. */
export function notBlank(cells: readonly string[], nullValues: ReadonlySet<string>): string[] {
  return cells.filter((cell) => !isBlank(cell) && !nullValues.has(cell.trim()));
}
