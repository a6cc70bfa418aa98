import { grouped } from "../../model/quantities.ts";
import { compileTransform } from "../transform.ts";
import type { ConversionSpec, TransformStep } from "../value-schema.ts";
import type { Recognised } from "./headers.ts";
import {
  type DateGuess,
  type DayOrder,
  guessDate,
  guessSeveralDates,
  isNumeric,
  mayBeDate,
} from "./recognise-date.ts";
import {
  guessBoolean,
  guessFlagsOfSeveral,
  guessList,
  guessNumber,
  mayBeNumber,
  misfitsOf,
  wordsInTheWay,
} from "./recognise-type.ts";
import { whatIdentifies } from "./sensitive-cells.ts";
import type { Kind } from "./vocabulary.ts";

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
 * @param isOfIds whether an id column has all of these cells
 */
export function inferMember(
  recognised: Recognised,
  cells: readonly string[],
  usual: DayOrder,
  isOfIds = false,
): InferredMember {
  const { member, doubt } = recognised;
  const identifies = whatIdentifies(recognised.kind, cells);
  const isId = identifies !== undefined || (isOfIds && recognised.kind === undefined);
  const kind = isId ? "id" : recognised.kind;
  if (haveApostrophes(cells)) return withoutApostrophes(kind, cells);
  const inferred = inferAny(kind, cells, usual);
  // The columns of such a file can be shifted.
  const addresses = cells.filter((cell) => cell.includes("@")).length;
  const lacksAddresses = member === "email" && addresses * 2 < cells.length;
  const few =
    addresses === 0
      ? "no cell is"
      : `only ${grouped(addresses)} of ${grouped(cells.length)} cells is`;
  const warning = `the column is called so, but ${few} an email address`;
  const warnings = [
    ...(doubt === undefined ? [] : [doubt]),
    ...(lacksAddresses ? [warning] : []),
    ...(identifies === undefined ? [] : [identifies]),
  ];
  return { ...inferred, notes: [...warnings, ...inferred.notes] };
}

/** Exports put an apostrophe before digits and signs, so that a spreadsheet keeps them as text. */
function haveApostrophes(cells: readonly string[]): boolean {
  const marked = cells.filter((cell) => /^'[\d+=@-][^']*$/.test(cell)).length;
  return marked > 0 && marked * 2 >= cells.length;
}

/** It is text, so every cell fits. */
function withoutApostrophes(kind: Kind | undefined, given: readonly string[]): InferredMember {
  const cells = given.map((cell) => cell.replace(/^'/, ""));
  const found = textOfHeader(kind, cells) ?? asText(kind, cells);
  return {
    ...found,
    transform: [{ strip_prefix: "'" }, ...found.transform],
    notes: ["exported with an apostrophe in front, which is removed", ...found.notes],
  };
}

function inferAny(
  kind: Kind | undefined,
  cells: readonly string[],
  usual: DayOrder,
): InferredMember {
  if (cells.length === 0) return text([], "blank");
  const voteOf = (candidates: readonly Form[], maxMisfits: number) =>
    vote(candidates, { kind, usual, cells, maxMisfits });
  const said = voteOf([forms.email], 0) ?? textOfHeader(kind, cells);
  if (said !== undefined) return said;
  const { number, ...others } = forms;
  // Numbers below a header that says date are dates with odd cells, if most are one.
  const [first, second] = kind === "date" ? [others, { number }] : [forms, {}];
  const exact = voteOf(Object.values(first), 0);
  if (exact !== undefined) return exact;
  const member = voteOf(Object.values(second), 0) ?? asText(kind, cells);
  if (kind !== undefined && !typedKinds.has(kind)) return member;
  const maxMisfits = Math.floor(cells.length * (1 - minShareOfMention));
  const most =
    voteOf(Object.values(first), maxMisfits) ?? voteOf(Object.values(second), maxMisfits);
  if (most === undefined) return member;
  const { evidence, misfits = [] } = most;
  if (cells.length >= minCellsOfMost && misfits.length <= cells.length * (1 - minShareOfMost)) {
    return most;
  }
  return misfits.length === 0 ? member : { ...member, tooFew: { evidence, misfits } };
}

/** Kinds of columns whose cells have a type. The others are text, whatever most cells look like. */
const typedKinds: ReadonlySet<string> = new Set(["coordinate", "date", "email", "flag", "amount"]);

/** With fewer cells, all have to agree. */
const minCellsOfMost = 20;
const minShareOfMost = 0.95;
/** With a smaller share, a type is not even mentioned. */
const minShareOfMention = 0.5;

/** Text because the header says so. */
function textOfHeader(
  kind: Kind | undefined,
  cells: readonly string[],
): InferredMember | undefined {
  switch (kind) {
    case "postal_code":
      return cells.some((cell) => /\d/.test(cell)) ? text(cells, "postal code") : undefined;
    case "phone": {
      // An address has more words than the "ext" or "mobile" beside a number.
      const isPhone = (cell: string) =>
        (cell.match(/\d/g)?.length ?? 0) >= 5 && !/@|^\P{L}*\p{L}+\P{L}+\p{L}/u.test(cell);
      const phones = cells.filter(isPhone);
      return phones.length * 2 >= cells.length ? text(cells, "phone number") : undefined;
    }
    case "id":
    case "national_id":
      // The header "A-Number" can also mean a number.
      if (!cells.every((cell) => /\d/.test(cell) && !/[,;|]/.test(cell))) return undefined;
      if (cells.every((cell) => /^\s*-?\d+\.\d+\s*$/.test(cell))) return undefined;
      return { ...asText(kind, cells), evidence: "id, kept as text" };
    case "text":
      return asText(kind, cells);
    default:
      return undefined;
  }
}

/** A column as a form sees it. */
interface Ballot {
  readonly kind: Kind | undefined;
  readonly usual: DayOrder;
  readonly cells: readonly string[];
  /** How many cells need not be of the form. */
  readonly maxMisfits: number;
}

type Form = (ballot: Ballot) => InferredMember | undefined;

/**
 * What the cells of a column can be, other than text. Of forms that fit as many cells, the first wins: fewer
 * cells are of it by chance.
 */
const forms = {
  email: (ballot) =>
    ofMost(
      ballot,
      (cell) => cell.includes("@"),
      () => emailMember,
    ),
  date: guessDates,
  flag({ kind, cells, maxMisfits }) {
    const flag = guessBoolean(cells, kind === "flag", maxMisfits);
    return flag === undefined ? undefined : converted(flag, "boolean");
  },
  number(ballot) {
    const { kind, cells } = ballot;
    // An extension such as 4711 is no number; and 12a and A7 beside 12 are codes, of which no digit counts.
    const isCode = (cell: string) => /\d/.test(cell) && /\p{L}/u.test(cell) && !mayBeNumber(cell);
    if (kind === "phone" || cells.some(isCode)) return undefined;
    return ofMost(ballot, mayBeNumber, (numbers, maxMisfits) => {
      if (whyCodes(kind, numbers) !== undefined) return undefined;
      const number = guessNumber(numbers, maxMisfits);
      if (number === undefined) return undefined;
      return converted(number.conversion, number.conversion.type ?? "", number.note);
    });
  },
  money: guessMoney,
  json: ({ cells }) =>
    cells.every((cell) => /^\s*[[{]/.test(cell)) ? converted({ type: "json" }, "JSON") : undefined,
  severalDates({ kind, usual, cells, maxMisfits }) {
    const guess = guessSeveralDates(cells, usual, maxMisfits);
    return guess === undefined || kind === "id" ? undefined : asDate(guess);
  },
  severalFlags({ cells }) {
    const flag = guessFlagsOfSeveral(cells);
    return flag === undefined ? undefined : converted(flag, "boolean, in several words");
  },
  commaAndPoint: guessCommaAndPoint,
  list({ kind, cells }) {
    const list = guessList(cells, kind === "list");
    if (list === undefined) return undefined;
    return converted(list, `list, items between ${JSON.stringify(list.separator)}`);
  },
} satisfies Record<string, Form>;

/** The form that fits most cells of a column; undefined if none fits enough. */
function vote(candidates: readonly Form[], ballot: Ballot): InferredMember | undefined {
  const fitting = candidates.flatMap((guess) => {
    const member = guess(ballot);
    const misfits = member === undefined ? [] : misfitsOfMember(member, ballot.cells);
    if (member === undefined || misfits.length > ballot.maxMisfits) return [];
    return [{ member, misfits }];
  });
  const [best] = fitting.sort((one, other) => one.misfits.length - other.misfits.length);
  if (best === undefined) return undefined;
  return best.misfits.length === 0 ? best.member : { ...best.member, misfits: best.misfits };
}

/** Guesses from the cells that may be of a form, if those are enough. */
function ofMost(
  { cells, maxMisfits }: Ballot,
  mayBe: (cell: string) => boolean,
  guess: (cells: readonly string[], maxMisfits: number) => InferredMember | undefined,
): InferredMember | undefined {
  const some = cells.filter(mayBe);
  const left = maxMisfits - (cells.length - some.length);
  return left < 0 ? undefined : guess(some, left);
}

function guessDates(ballot: Ballot): InferredMember | undefined {
  const { kind, usual, cells } = ballot;
  const isDay = (cell: string) => mayBeDate(cell) && !isNumeric(cell);
  const areNumbers = kind === "date" && cells.filter(isDay).length * 2 < cells.length;
  const date = ofMost(ballot, areNumbers ? isNumeric : isDay, (days, maxMisfits) => {
    const guess = guessDate(days, kind === "date", usual, maxMisfits);
    return guess === undefined ? undefined : asDate(guess);
  });
  // SQL Server pads days and hours with spaces.
  if (date !== undefined || !cells.some((cell) => /\S {2,}\S/.test(cell))) return date;
  const collapsed = cells.map((cell) => cell.replaceAll(/\s+/g, " ").trim());
  const padded = guessDates({ ...ballot, cells: collapsed });
  return padded === undefined ? undefined : { ...padded, transform: ["collapse_spaces"] };
}

/** Numbers with the same sign of a currency before or after them. */
function guessMoney(ballot: Ballot): InferredMember | undefined {
  const first = ballot.cells.slice(0, ballot.maxMisfits + 1).join(" ");
  const sign = first.match(/[$€£¥]/)?.[0];
  if (sign === undefined) return undefined;
  const isAmount = (cell: string) =>
    cell.split(sign).length === 2 && mayBeNumber(cell.replace(sign, ""));
  return ofMost(ballot, isAmount, (cells, maxMisfits) => {
    const number = guessNumber(
      cells.map((cell) => cell.replace(sign, "")),
      maxMisfits,
    );
    if (number === undefined) return undefined;
    const { conversion, note } = number;
    return {
      ...converted(conversion, `${conversion.type} with ${sign}, which is removed`, note),
      transform: [{ replace: { find: sign, with: "" } }],
    };
  });
}

/** Fractions behind a comma in some cells, and behind a point in others, with no sign between thousands. */
function guessCommaAndPoint(ballot: Ballot): InferredMember | undefined {
  const { kind, cells } = ballot;
  const isPlain = (cell: string) => /^\s*-?\d+(?:[.,]\d{1,2})?\s*$/.test(cell);
  const has = (sign: string) => cells.filter((cell) => cell.includes(sign)).length >= 2;
  if (kind === "id" || kind === "phone" || !has(",") || !has(".")) return undefined;
  return ofMost(ballot, isPlain, () => ({
    ...converted({ type: "number" }, "number, with comma or point"),
    transform: [{ replace: { find: ",", with: "." } }],
    notes: ["some cells have a comma before the fraction, and some a point: the comma becomes one"],
  }));
}

function misfitsOfMember({ transform, conversion }: InferredMember, cells: readonly string[]) {
  const apply = compileTransform([...transform]);
  const prepare = (cell: string) => apply?.(cell) ?? cell;
  const odd = new Set(misfitsOf(conversion, cells.map(prepare)));
  return odd.size === 0 ? [] : cells.filter((cell) => odd.has(prepare(cell)));
}

const emailMember: InferredMember = {
  transform: ["trim", "lowercase"],
  conversion: { format: "email" },
  evidence: "email address",
  notes: [],
};

/** Text; with the reason why it is no number or flag if it looks like one. */
function asText(kind: Kind | undefined, cells: readonly string[]): InferredMember {
  const isPhone = kind === "phone" && cells.every(mayBeNumber);
  const why = whyText(kind, cells);
  return text(cells, isPhone ? "phone number" : "text", ...(why === undefined ? [] : [why]));
}

function whyText(kind: Kind | undefined, cells: readonly string[]): string | undefined {
  const [sign = ""] = cells.map((cell) => cell.trim());
  const isOpen = kind === undefined || kind === "flag";
  if (isOpen && /^x$/i.test(sign) && cells.every((cell) => cell.trim() === sign)) {
    // SAP and spreadsheets write so. Whether blank is no, or not known, only a person can say.
    return `if ${sign} is yes and a blank cell is no: map: { ${sign}: true }, default: false`;
  }
  const inTheWay = isOpen ? wordsInTheWay(cells) : undefined;
  if (inTheWay !== undefined) return inTheWay;
  if (kind === "phone" || !cells.every((cell) => /^\s*-?\d+\s*$/.test(cell))) return undefined;
  const zeros = cells.filter((cell) => /^\s*-?0\d+\s*$/.test(cell)).length;
  if (zeros > 0) return `${grouped(zeros)} with zeros in front, which a number would lose`;
  const codes = kind === "id" ? undefined : whyCodes(kind, cells);
  if (codes !== undefined) return codes;
  const isExact = misfitsOf({ type: "integer" }, cells).length === 0;
  return isExact ? undefined : "more digits than a number keeps exact";
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
  const formats = [format ?? []].flat();
  const written = formats.length === 0 ? `${type}, ISO 8601` : `${type} as ${formats.join(" or ")}`;
  const notes: string[] = [];
  if (timezone !== undefined) {
    notes.push("times without a zone are taken as UTC: set timezone, such as Europe/Amsterdam");
  }
  const found = converted(conversion, written);
  return { ...found, notes, ...(other === undefined ? {} : { otherOrder: other }) };
}

/** With fewer digits, all of one length are as often years or amounts. */
const minCodeLength = 5;
/** Few small numbers can be all different, or count up, by chance. */
const [minDifferent, minCounted, minIdLength, minLargeLength] = [20, 3, 3, 4];
/** No amount has more digits, unless the header says that it is one. */
const maxAmountLength = 9;

/**
 * Why whole numbers are taken for codes or days, although the header says nothing: a number made of a code
 * loses its zeros, and nobody adds it up. Undefined if they look like amounts or counts: small, and often the same.
 */
function whyCodes(kind: Kind | undefined, given: readonly string[]): string | undefined {
  const cells = given.map((cell) => cell.trim());
  if (kind === "amount" || kind === "coordinate" || !cells.every((cell) => /^\d+$/.test(cell))) {
    return undefined;
  }
  if (guessDate(cells, true, "day_first")?.conversion.format === "yyyyMMdd") {
    return "each could be a day: add type: date, format: yyyyMMdd if they are";
  }
  const [first = ""] = cells;
  const different = new Set(cells).size;
  const longest = Math.max(...cells.map(({ length }) => length));
  const areLarge = cells.length > 1 && cells.every((cell) => cell.length >= minLargeLength);
  const isDifferent = (areLarge || cells.length >= minDifferent) && different === cells.length;
  const isCounted = cells.every((cell, at) => Number(cell) === Number(first) + at);
  const isMany = cells.length >= minDifferent;
  // The rows of an order or of a person stand together; amounts that are the same do not.
  const runs = cells.filter((cell, at) => cell !== cells[at - 1]).length;
  const reason =
    first.length >= minCodeLength && cells.every((cell) => cell.length === first.length)
      ? "all of one length, as codes are"
      : isDifferent || (isCounted && cells.length >= minCounted)
        ? "all different, as ids are"
        : longest > maxAmountLength
          ? "as long as codes and phone numbers are"
          : isMany && longest >= minLargeLength && different * 2 > cells.length
            ? "mostly different, as codes are"
            : isMany && longest >= minIdLength && different > 2 && runs === different
              ? "the same in rows that stand together, as numbers of orders are"
              : undefined;
  return reason && `${reason}: if they are amounts or counts, add type: integer`;
}
