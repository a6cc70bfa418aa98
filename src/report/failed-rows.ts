import { copyOf, longestMessage, messageTemplate } from "../model/groups.ts";
import type { EndedLine } from "../model/outcome-groups.ts";
import { quote } from "../model/row.ts";

export interface FailedRow extends EndedLine {
  /** Those of the input. */
  readonly cells: readonly string[];
}

/** Lines with the same problem: of the same column, for the same reason. */
export interface FailedGroup extends Pick<EndedLine, "status" | "code" | "message"> {
  /** The column whose cells are why, as far as that is known. */
  readonly column: string | undefined;
  /** Whether all of them say the very same; else the message is what they have in common. */
  readonly isAlike: boolean;
  readonly count: number;
  /** Those that are kept, the first ones; each with what it says itself. */
  readonly rows: readonly FailedRow[];
}

/** What the failed rows add up to. */
export interface FailedRows {
  readonly columns: readonly string[];
  readonly lines: number;
  /** Lines with several problems, each of which is in the group of each of them. */
  readonly severalProblems: number;
  /** The largest first. */
  readonly groups: readonly FailedGroup[];
  /** Problems without a group, as there were too many groups. */
  readonly ungrouped: number;
  /** Why the file could not be read, or not to its end. */
  readonly problem?: string;
  /** Whether somebody has changed the file since it was written. */
  readonly isEdited?: boolean;
}

const maxGroups = 10_000;
const maxRowsEach = 200;
/** The first row of each group is kept beyond what the others may take. */
const maxChars = 1_000_000;
const maxCharsWithFirst = 3_000_000;
const maxCellChars = 1000;

type Group = { -readonly [name in keyof FailedGroup]: FailedGroup[name] } & {
  rows: FailedRow[];
  readonly template: string;
};

/** One thing that is wrong with a line. */
interface Problem extends Pick<FailedGroup, "status" | "code" | "column" | "message"> {
  /** What all of a group have in common. */
  readonly template: string;
  readonly key: string;
}

/**
 * Groups the failed rows, and keeps as many as a page can hold. Memory does not grow with their number.
 *
 * @param columns of the input
 * @param columnOfMember what a service calls a cell: a member of an event, and the column that it is made from
 */
export function createFailedRows(
  columns: readonly string[],
  columnOfMember: ReadonlyMap<string, string> = new Map(),
) {
  const groups = new Map<string, Group>();
  // The same message comes again and again, and its template takes time.
  const known = new Map<string, readonly Problem[]>();
  const quoted = new Map(columns.map((column) => [quote(column), column]));
  let [lines, severalProblems, ungrouped, chars] = [0, 0, 0, 0];

  /** What is wrong with a line, each problem once. */
  const problemsOf = ({ status, code, message: whole }: EndedLine): Problem[] => {
    const isOfCells = status === "invalid";
    const found = isOfCells
      ? problemsOfCells(whole, quoted)
      : [{ column: namedColumn(whole, columnOfMember), message: whole }];
    const problems = new Map<string, Problem>();
    for (const [at, { column, message }] of found.entries()) {
      // Quoted in what is wrong with a whole row is a cell, however it looks.
      const isOfRow = isOfCells && column === undefined;
      const template = messageTemplate(isOfRow ? message.replaceAll(quotes, '"…"') : message);
      // All problems of cells stand in one line, whose code is that of the first.
      const key = [status, isOfCells ? "" : code, column ?? "", template].join("\n");
      const problem = { status, code: at === 0 ? code : "", column, message, template, key };
      if (!problems.has(key)) problems.set(key, problem);
    }
    return [...problems.values()];
  };

  const groupOf = ({ key, ...problem }: Problem) => {
    const group = groups.get(key);
    if (group !== undefined || groups.size >= maxGroups) return group;
    const message = copyOf(problem.message, longestMessage);
    const made: Group = { ...problem, message, isAlike: true, count: 0, rows: [] };
    groups.set(key, made);
    return made;
  };

  const keep = (row: FailedRow, said: string, { rows }: Group) => {
    const most = rows.length === 0 ? maxCharsWithFirst : maxChars;
    if (rows.length >= maxRowsEach || chars >= most) return;
    const cells = row.cells.map((cell) => copyOf(cell, maxCellChars));
    const message = copyOf(said, longestMessage);
    chars += cells.reduce((all, cell) => all + cell.length + 8, 100 + message.length);
    rows.push({ ...row, cells, message });
  };

  return {
    add(row: FailedRow): void {
      const { status, code, message } = row;
      lines++;
      const exactly = `${status} ${code} ${message}`;
      const problems = known.get(exactly) ?? problemsOf(row);
      if (known.size < maxGroups) known.set(exactly, problems);
      if (problems.length > 1) severalProblems++;
      for (const problem of problems) {
        const group = groupOf(problem);
        if (group === undefined) ungrouped++;
        else {
          group.count++;
          group.code ||= problem.code;
          group.isAlike &&= group.message === problem.message.slice(0, longestMessage);
          keep(row, problem.message, group);
        }
      }
    },
    groups(): FailedRows {
      const largestFirst = [...groups.values()].toSorted((one, other) => other.count - one.count);
      return {
        ...{ columns, lines, severalProblems, ungrouped },
        groups: largestFirst.map(({ template, ...group }) => {
          const message = group.isAlike ? group.message : template;
          const [first] = group.rows;
          return {
            ...group,
            message,
            column: group.column ?? (first && offendingColumns(first, columns)[0]),
          };
        }),
      };
    },
  };
}

const quotedText = '"(?:[^"\\\\]|\\\\.)*"';
/** A quote that does not end goes to the end of the text, so that each character is read once. */
const quotes = /"(?:[^"\\]|\\.)*(?:"|$)/gs;
const betweenProblems = new RegExp(`${quotes.source}|; (?=column ")`, "gs");
const beginsWithColumn = new RegExp(`^column (${quotedText}): (?:${quotedText} )?`);

/** What is wrong with the cells of a row, from its line: `column "Age": "x" is not a number; column "Plan": …`. */
function problemsOfCells(message: string, quoted: ReadonlyMap<string, string>) {
  const cuts = [...message.matchAll(betweenProblems)].filter(([text]) => !text.startsWith('"'));
  const starts = [0, ...cuts.map(({ index }) => index + 2)];
  return starts.map((start, at) => {
    const one = message.slice(start, cuts[at]?.index);
    const [head = "", name = ""] = beginsWithColumn.exec(one) ?? [];
    const column = quoted.get(name);
    return { column, message: column === undefined ? one : one.slice(head.length) };
  });
}

/** The column whose cell is probably why a row did not succeed. */
export function refusedColumn(
  row: Pick<FailedRow, "message" | "cells">,
  isInvalid: boolean,
  columns: readonly string[],
  columnOfMember: ReadonlyMap<string, string>,
): string | undefined {
  const named = isInvalid ? undefined : namedColumn(row.message, columnOfMember);
  return named ?? offendingColumns(row, columns)[0];
}

/** The column of the first member that a service names in what it says. */
function namedColumn(message: string, columnOfMember: ReadonlyMap<string, string>) {
  const words = message.slice(0, longestMessage).match(/[\p{L}\p{N}_.[\]-]+/gu) ?? [];
  for (const word of words) {
    const column = columnOfMember.get(word.replace(/[.-]+$/, ""));
    if (column !== undefined) return column;
  }
  return undefined;
}

/**
 * The columns whose cells are probably why an event did not succeed: those that the message names, else those whose
 * cell it quotes.
 */
function offendingColumns(
  { message, cells }: Pick<FailedRow, "message" | "cells">,
  columns: readonly string[],
): string[] {
  const named = columns.filter((column) => message.includes(`column ${JSON.stringify(column)}`));
  if (named.length > 0) return named;
  const quoted = columns.filter((_, at) => {
    const cell = cells[at]?.trim() ?? "";
    return cell.length >= shortestQuoted && message.includes(cell);
  });
  return quoted;
}

/** A shorter cell is in many a message by chance. */
const shortestQuoted = 4;
