import { isBlank } from "../columns.ts";
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
} from "./recognise-type.ts";

/** What a column becomes, and why. */
export interface InferredMember {
  readonly transform: readonly TransformStep[];
  readonly conversion: ConversionSpec;
  /** What its cells look like, for the comment before their count. */
  readonly evidence: string;
  readonly notes: readonly string[];
  readonly otherOrder?: DateGuess["other"];
}

/**
 * Guesses the type of a column. Every given cell maps with the result.
 *
 * @param cells the ones that are not blank
 */
export function inferMember(
  { kind }: Recognised,
  cells: readonly string[],
  usual: DayOrder,
): InferredMember {
  if (cells.length === 0) return text([], "blank");
  const email = cells.every((cell) => cell.includes("@")) ? asEmail(cells) : undefined;
  if (email !== undefined) return email;
  if (kind === "postal_code") return text(cells, "postal code");
  if (kind === "phone" && isPhone(cells)) return text(cells, "phone number");
  if (kind === "id" && cells.every((cell) => /\d/.test(cell) && !/[,;|]/.test(cell)))
    return asId(cells);
  if (kind === "text") return asText(cells);
  const date = guessDate(cells, kind === "date", usual);
  if (date !== undefined) return asDate(date);
  const flag = guessBoolean(cells, kind === "flag");
  if (flag !== undefined) return converted(flag, "boolean");
  if (kind === undefined && haveOneLength(cells)) {
    return text(
      cells,
      "text",
      "all of one length, as codes are: add type: integer where they count",
    );
  }
  const number = guessNumber(cells);
  if (number !== undefined) {
    return converted(number.conversion, number.conversion.type ?? "", number.note);
  }
  if (cells.every((cell) => /^\s*[[{]/.test(cell)) && fits({ type: "json" }, cells)) {
    return converted({ type: "json" }, "JSON");
  }
  const list = guessList(cells, kind === "list");
  if (list !== undefined) {
    return converted(list, `list, items between ${JSON.stringify(list.separator)}`);
  }
  return asText(cells);
}

function asEmail(cells: readonly string[]): InferredMember | undefined {
  const plain = cells.map((cell) => cell.trim().toLowerCase());
  if (!fits({ format: "email" }, plain)) return undefined;
  return {
    transform: ["trim", "lowercase"],
    conversion: { format: "email" },
    evidence: "email address",
    notes: [],
  };
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
