import { type Resource, usualEvent } from "../../model/event.ts";
import { type Columns, createColumns, isBlank } from "../columns.ts";
import { hasTwoDigitYear } from "../date-format.ts";
import { chooseOrder, type OrderProposal } from "./choose-order.ts";
import type { DayOrder } from "./forms.ts";
import {
  dayOrderIn,
  type RecognisedColumn,
  recogniseByCells,
  recogniseHeaders,
  withNameParts,
} from "./headers.ts";
import { type InferredMember, inferMember } from "./infer-member.ts";
import { isSecret } from "./kinds.ts";
import { findNullWords, type NullWord } from "./null-words.ts";
import { whyCodes } from "./why-codes.ts";

export interface SampleTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly rowNumbers?: readonly number[];
  readonly isWhole: boolean;
  readonly thisYear: number;
}

export interface SampleCell {
  readonly row?: number | undefined;
  readonly cell: string;
}

export interface InferAnswers {
  readonly resource?: Resource | undefined;
  readonly event?: string | undefined;
}

export interface MappedColumn extends InferredMember {
  readonly column: string;
  readonly member: string;
  /** Whether the member has the words of the column, as nothing is known of it. */
  readonly isGuess: boolean;
  /** Whether the column is to be left out, as it holds passwords, tokens or the like. */
  readonly isSecret: boolean;
  readonly cells: readonly string[];
  readonly misfitsAt: readonly SampleCell[];
}

export interface InferredMapping {
  readonly resource: Resource;
  readonly event: string;
  readonly nullWords: readonly NullWord[];
  readonly order: OrderProposal;
  readonly members: readonly MappedColumn[];
  /** Why columns are left out that no mapping can name. */
  readonly leftOut: readonly string[];
  readonly rows: number;
}

/** Proposes a mapping, with which every sound row of the sample maps. */
export function inferMapping(table: SampleTable, answers: InferAnswers = {}): InferredMapping {
  const { columns, rows, isWhole } = table;
  const { find } = createColumns(columns);
  const { headers, isDayFirst } = recogniseHeaders(columns);
  const given = columns.flatMap((column, index) => {
    const recognised = headers[index];
    if (recognised === undefined || whyColumnLeftOut(column, find) !== undefined) return [];
    const all = rows.map((row) => row[index] ?? "");
    return [{ column, index, all, cells: all.filter((cell) => !isBlank(cell)), recognised }];
  });
  const nullWords = findNullWords(given);
  const nothing = new Set(nullWords.map(({ word }) => word));
  const isNull = (cell: string) => nothing.has(cell.trim());
  const found = given.map((one) => ({
    ...one,
    all: one.all.map((cell) => (isNull(cell) ? "" : cell)),
    cells: one.cells.filter((cell) => !isNull(cell)),
  }));
  const byCells = withNameParts(found).map((one) => ({
    ...one,
    recognised: recogniseByCells(one.recognised, one.cells),
  }));
  const usable = withOwnNames(byCells);
  const usual = usualOrder(usable, isDayFirst);
  const idsOf = usable
    .filter(({ recognised: { kind }, cells }) => kind === "id" || whyCodes(kind, cells))
    .map(({ column, cells }) => ({ column, ids: new Set(cells) }));
  const members = usable.map(({ column, index, cells, recognised }): MappedColumn => {
    const isOfIds = idsOf.some((one) => one.column !== column && areAmong(cells, one.ids));
    const found = inferMember(recognised, cells, usual, isOfIds);
    const inferred = withPivotYear(recognised.member, found, table.thisYear);
    const misfitsAt = samplesOf(inferred.misfits ?? inferred.tooFew?.misfits ?? [], index, table);
    const { member, kind, isKnown } = recognised;
    const ofColumn = {
      ...{ column, member, cells, misfitsAt },
      ...{ isGuess: !isKnown, isSecret: isSecret(kind) },
    };
    return { ...ofColumn, ...inferred };
  });
  const { resource = guessResource(usable), event = usualEvent(resource) } = answers;
  return {
    resource,
    event,
    nullWords,
    order: chooseOrder(usable, rows.length, isWhole),
    members,
    leftOut: [...new Set(columns.flatMap((column) => whyColumnLeftOut(column, find) ?? []))],
    rows: rows.length,
  };
}

/** Whether whole numbers are all among the ids of another column, such as those of superiors among employees. */
function areAmong(cells: readonly string[], ids: ReadonlySet<string>): boolean {
  const areIds = cells.every((cell) => cell.length >= minIdLength && ids.has(cell));
  return areIds && new Set(cells).size > 1;
}

const minIdLength = 3;

function withPivotYear(member: string, found: InferredMember, thisYear: number): InferredMember {
  const { conversion, notes } = found;
  if (![conversion.format ?? []].flat().some((format) => hasTwoDigitYear(format))) return found;
  // Nobody is born after this year; other dates may be some years ahead, to the end of a decade.
  const pivot = /birth|born/.test(member) ? thisYear : Math.ceil((thisYear + 10) / 10) * 10;
  const note = `years of two digits are read as ${pivot - 99} to ${pivot}: pivot_year changes that`;
  return { ...found, notes: [note, ...notes], conversion: { ...conversion, pivot_year: pivot } };
}

const maxSampleCells = 3;

function samplesOf(cells: readonly string[], index: number, table: SampleTable): SampleCell[] {
  const wanted = new Set(cells);
  const all = table.rows.flatMap((row, at) => {
    const cell = row[index] ?? "";
    return wanted.has(cell) ? [{ row: table.rowNumbers?.[at], cell }] : [];
  });
  return all.slice(0, maxSampleCells);
}

const nameParts = ["first_name", "last_name"];

/**
 * Gives each column a name of its own. Of those that would have one name, the column that is called so has it, or else
 * the first; the others have the words of their headers, and a number where these are taken.
 */
function withOwnNames<Given extends RecognisedColumn>(columns: readonly Given[]): Given[] {
  // Of names in two scripts, both parts are of one.
  const areExact = nameParts.every((part) =>
    columns.some(({ recognised: { member, ownMember } }) => member === part && ownMember === part),
  );
  const isExact = ({ recognised: { member, ownMember } }: Given) =>
    member === ownMember && (areExact || !nameParts.includes(member));
  const keepers = new Map<string, Given>();
  for (const one of [...columns.filter(isExact), ...columns]) {
    const { member } = one.recognised;
    if (!keepers.has(member)) keepers.set(member, one);
  }
  /** Names in use, with the last number that was appended to each. */
  const taken = new Map([...keepers.keys()].map((name) => [name, 1]));
  return columns.map((one) => {
    const { member, ownMember } = one.recognised;
    if (keepers.get(member) === one) return one;
    let name = ownMember;
    let number = taken.get(ownMember);
    if (number !== undefined) {
      do name = `${ownMember}_${++number}`;
      while (taken.has(name));
      taken.set(ownMember, number);
    }
    taken.set(name, 1);
    return { ...one, recognised: { ...one.recognised, member: name, isKnown: false } };
  });
}

function whyColumnLeftOut(column: string, find: Columns["find"]): string | undefined {
  if (column.trim() === "") return "a column without a name is left out: name it in the header";
  const found = find(column);
  return found.kind === "found" ? undefined : `left out, as ${found.message}`;
}

/**
 * The order that a header names; else that which other columns of the file show; else that of the
 * headers' language; else the usual one for dates with slashes.
 */
function usualOrder(columns: readonly RecognisedColumn[], isDayFirst: boolean): DayOrder {
  const said = columns.map(({ column }) => dayOrderIn(column)).find((order) => order !== undefined);
  if (said !== undefined) return said;
  for (const { cells } of columns) {
    const has = (form: RegExp) => cells.some((cell) => form.test(cell));
    const isDay = has(largeFirst);
    if (isDay !== has(largeSecond)) return isDay ? "day_first" : "month_first";
  }
  const isSlashed = ({ cells }: RecognisedColumn) =>
    cells.slice(0, 5).some((cell) => /^\d+\/\d+\/\d+/.test(cell));
  return isDayFirst || !columns.some(isSlashed) ? "day_first" : "month_first";
}

/** Dates with a number that is no month. */
const largeFirst = /^\s*(?:1[3-9]|[2-9]\d)[/.-]\d\d?[/.-]\d/;
const largeSecond = /^\s*\d\d?[/.-](?:1[3-9]|[2-9]\d)[/.-]\d/;

function guessResource(columns: readonly RecognisedColumn[]): Resource {
  const isOfUsers = ({ recognised: { member, kind }, cells }: RecognisedColumn) =>
    kind === "password" ||
    /^(username|role|last_login_at)$/.test(member) ||
    // One that repeats is that of whoever entered the rows.
    (member === "user_id" && new Set(cells).size * 2 > cells.length);
  const filled = columns.filter(({ cells }) => cells.length > 0);
  return (filled.length === 0 ? columns : filled).some(isOfUsers) ? "users" : "contacts";
}
