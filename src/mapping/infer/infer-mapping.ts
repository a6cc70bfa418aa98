import type { Resource } from "../../model/event.ts";
import { type Columns, createColumns, isBlank } from "../columns.ts";
import { hasTwoDigitYear } from "../date-format.ts";
import { chooseOrder, type OrderProposal } from "./choose-order.ts";
import { type InferredMember, inferMember } from "./infer-member.ts";
import { knownHeader } from "./known-headers.ts";
import type { DayOrder } from "./recognise-date.ts";
import {
  dayOrderIn,
  isDayFirstHeader,
  isSecret,
  type RecognisedColumn,
  recogniseByCells,
  recogniseColumn,
  recogniseNameParts,
  sharedPrefix,
} from "./recognise-header.ts";

/** The rows of an input that were read. */
export interface SampleTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The row numbers, as far as they are known. */
  readonly rowNumbers?: readonly number[];
  /** Whether these are all rows of the input. */
  readonly isWhole: boolean;
  /** The year of the run, for years of two digits. */
  readonly thisYear: number;
}

/** A cell, and the number of its row if it is known. */
export interface Place {
  readonly row?: number | undefined;
  readonly cell: string;
}

/** What a person can decide; the rest is detected. */
export interface InferAnswers {
  readonly resource?: Resource | undefined;
  readonly event?: string | undefined;
  readonly dayOrder?: DayOrder | undefined;
}

export interface MappedColumn extends InferredMember {
  readonly column: string;
  readonly member: string;
  /** Whether the member has the words of the column, as nothing is known of it. */
  readonly isGuess: boolean;
  /** Whether it is proposed as left out, as it holds passwords, tokens or the like. */
  readonly isSecret: boolean;
  /** The cells that are not blank. */
  readonly cells: readonly string[];
  /** The first of the cells that the type does not fit. */
  readonly misfitsAt: readonly Place[];
}

export interface InferredMapping {
  readonly resource: Resource;
  readonly event: string;
  readonly nullValues: readonly string[];
  readonly order: OrderProposal;
  readonly members: readonly MappedColumn[];
  /** Why columns are left out that no mapping can name. */
  readonly leftOut: readonly string[];
  readonly rows: number;
}

/**
 * What programs export for "no value". The parentheses are of database clients, `k.A.` is German, and the point
 * of Stata and SAS; from `0/0/00` on, it is what Outlook, MySQL and .NET write for no date.
 */
const nullWords = (
  "NULL|null|N/A|n/a|#N/A|\\N|(null)|(NULL)|[NULL]|<null>|NaN|k.A.|k.A|.|0/0/00|0000-00-00|0000-00-00 00:00:00|" +
  "0001-01-01|0001-01-01 00:00:00|0001-01-01T00:00:00"
).split("|");

/** Proposes a mapping, with which every sound row of the sample maps. */
export function inferMapping(table: SampleTable, answers: InferAnswers = {}): InferredMapping {
  const { columns, rows, isWhole } = table;
  const seen = new Set<string>();
  for (const cells of rows) for (const cell of cells) if (cell.length < 20) seen.add(cell.trim());
  const nullValues = nullWords.filter((nothing) => seen.has(nothing));
  const nothing = new Set(nullValues);
  const { find } = createColumns(columns);
  const shared = sharedPrefix(columns);
  const found = columns.flatMap((column, index) => {
    if (whyLeftOut(column, find) !== undefined) return [];
    const cells = rows
      .map((row) => row[index] ?? "")
      .filter((cell) => !isBlank(cell) && !nothing.has(cell.trim()));
    const recognised = recogniseByCells(recogniseColumn(column, shared), cells);
    return [{ column, index, cells, recognised }];
  });
  const usable = recogniseNameParts(withOwnNames(found));
  const usual = answers.dayOrder ?? usualOrder(usable);
  const names = new Map<string, number>();
  const wanted = new Set(usable.map(({ recognised }) => recognised.member));
  const members = usable.map(({ column, index, cells, recognised }): MappedColumn => {
    const member = uniqueName(recognised.member || `column_${index + 1}`, names, wanted);
    const { otherOrder, ...found } = inferMember(recognised, cells, usual);
    const inferred = withPivotYear(recognised.member, found, table.thisYear);
    const isOpen = otherOrder !== undefined && answers.dayOrder === undefined;
    const misfitsAt = placesOf(inferred.misfits ?? inferred.tooFew?.misfits ?? [], index, table);
    const words = recognised.member.replaceAll("_", " ");
    const isGuess = (knownHeader(words) ?? knownHeader(words.replace(/ \d+$/, ""))) === undefined;
    const ofColumn = { column, member, isGuess, isSecret: isSecret(column), cells, misfitsAt };
    return { ...ofColumn, ...inferred, ...(isOpen ? { otherOrder } : {}) };
  });
  const resource = answers.resource ?? guessResource(members);
  return {
    resource,
    event: answers.event ?? `${resource.slice(0, -1)}.imported`,
    nullValues,
    order: chooseOrder(usable, rows.length, isWhole),
    members,
    leftOut: [...new Set(columns.flatMap((column) => whyLeftOut(column, find) ?? []))],
    rows: rows.length,
  };
}

/** Says what the two-digit years of a column mean. */
function withPivotYear(member: string, found: InferredMember, thisYear: number): InferredMember {
  const { conversion, notes } = found;
  if (typeof conversion.format !== "string" || !hasTwoDigitYear(conversion.format)) return found;
  // Nobody is born after this year; other dates may be some years ahead, to the end of a decade.
  const pivot = /birth|born/.test(member) ? thisYear : Math.ceil((thisYear + 10) / 10) * 10;
  const note = `years of two digits are read as ${pivot - 99} to ${pivot}: pivot_year changes that`;
  return { ...found, notes: [note, ...notes], conversion: { ...conversion, pivot_year: pivot } };
}

const maxPlaces = 3;

/** Where the first of some cells of a column are. */
function placesOf(cells: readonly string[], index: number, table: SampleTable): Place[] {
  const wanted = new Set(cells);
  const all = table.rows.map((row, at) => ({
    row: table.rowNumbers?.[at],
    cell: row[index] ?? "",
  }));
  return all.filter(({ cell }) => wanted.has(cell)).slice(0, maxPlaces);
}

/**
 * Gives columns that would have one name the words of their header back, but for the one that has this
 * name, or else the first whose header has no prefix.
 */
function withOwnNames<Given extends RecognisedColumn>(columns: readonly Given[]): Given[] {
  const keepers = new Map<string, Given | undefined>();
  for (const one of columns) {
    const { member, ownMember, isShortened } = one.recognised;
    const keeper = keepers.get(member)?.recognised;
    const isBetter = keeper === undefined ? !isShortened : keeper.ownMember !== member;
    if (isBetter && (keeper === undefined || ownMember === member)) keepers.set(member, one);
  }
  const counts = new Map<string, number>();
  for (const { recognised } of columns) {
    counts.set(recognised.member, (counts.get(recognised.member) ?? 0) + 1);
  }
  return columns.map((one) => {
    const { member, ownMember } = one.recognised;
    const keeps = counts.get(member) === 1 || keepers.get(member) === one || ownMember === "";
    return keeps ? one : { ...one, recognised: { ...one.recognised, member: ownMember } };
  });
}

/** Why no mapping can name a column. */
function whyLeftOut(column: string, find: Columns["find"]): string | undefined {
  if (column.trim() === "") return "a column without a name is left out: name it in the header";
  const found = find(column);
  return found.kind === "found" ? undefined : `left out, as ${found.message}`;
}

/**
 * A name that no other member has. `event` is taken: it names the kind of event.
 *
 * @param taken the names in use, with the last number that was appended to each, or 1
 * @param wanted the names that columns have without a number appended to them
 */
function uniqueName(
  given: string,
  taken: Map<string, number>,
  wanted: ReadonlySet<string>,
): string {
  const plain = given === "event" ? "event_name" : given;
  let name = plain;
  let number = taken.get(plain);
  if (number !== undefined) {
    do name = `${plain}_${++number}`;
    while (taken.has(name) || wanted.has(name));
    taken.set(plain, number);
  }
  taken.set(name, 1);
  return name;
}

/**
 * The order that a header names; else that which other columns of the file show; else that of the
 * headers' language; else the usual one for dates with slashes.
 */
function usualOrder(columns: readonly RecognisedColumn[]): DayOrder {
  const said = columns.map(({ column }) => dayOrderIn(column)).find((order) => order !== undefined);
  if (said !== undefined) return said;
  for (const { cells, recognised } of columns) {
    if (!cells.some((cell) => /^\s*\d{1,2}[/.-]\d{1,2}[/.-]\d/.test(cell))) continue;
    const { conversion, otherOrder } = inferMember(recognised, cells, "day_first");
    const { format } = conversion;
    if (otherOrder !== undefined || typeof format !== "string") continue;
    if (/^[dM]+[/.-]/.test(format)) return format.startsWith("d") ? "day_first" : "month_first";
  }
  if (columns.some(({ column }) => isDayFirstHeader(column))) return "day_first";
  const first = columns.flatMap(({ cells }) => cells.slice(0, 5));
  return first.some((cell) => /^\d+\/\d+\/\d+/.test(cell)) ? "month_first" : "day_first";
}

function guessResource(members: readonly MappedColumn[]): Resource {
  const usersHave = ["user_id", "username", "password", "role", "last_login_at"];
  const filled = members.filter(({ cells }) => cells.length > 0);
  const known = filled.length === 0 ? members : filled;
  return known.some(({ member }) => usersHave.includes(member)) ? "users" : "contacts";
}
