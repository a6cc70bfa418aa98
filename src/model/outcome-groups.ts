import { copyOf, createGroups, type Group, longestMessage, messageTemplate } from "./groups.ts";
import type { EventStatus } from "./outcome.ts";
import { type Place, placeOf } from "./place.ts";
import { quote } from "./row.ts";

export interface EndedLine extends Place {
  readonly status: EventStatus;
  readonly code: string;
  readonly message: string;
}

/** A line with one of its problems, in its own words; and the cell that they quote, as they do. */
export interface LineOfGroup extends EndedLine {
  readonly cell?: string | undefined;
}

export interface OutcomeGroup extends Pick<EndedLine, "status" | "code"> {
  /** The column whose cells are why, as far as that is known. */
  readonly column: string | undefined;
  /** The message, if all say the very same, else what all have in common; without column and cell. */
  readonly message: string;
  readonly isAlike: boolean;
  readonly count: number;
  readonly first: readonly LineOfGroup[];
}

export interface LineProblem {
  readonly status: EventStatus;
  code: string;
  readonly column?: string | undefined;
  readonly cell?: string | undefined;
  /** Without column and cell. */
  readonly message: string;
  readonly ownWords: string;
  /** What all of a group have in common. */
  readonly template: string;
  readonly key: string;
}

export type ProblemOfLine = LineProblem & Place;

/**
 * Groups lines by column and reason, and keeps the first rows of each group. A line with several problems is in the group
 * of each. Memory does not grow with their number.
 *
 * @param columns of the input
 * @param columnOfMember what a service calls a cell: a member of an event, and the column that it is made from
 */
export function createOutcomeGroups(
  columns: readonly string[],
  columnOfMember: ReadonlyMap<string, string>,
  maxGroups = usualGroups,
) {
  const all = createGroups<ProblemOfLine>(({ key }) => key, copied, maxGroups);
  // The same message comes again and again, and its template takes time.
  const known = new Map<string, readonly LineProblem[]>();
  const quoted = new Map(columns.map((column) => [quote(column), column]));
  let [lines, severalProblems] = [0, 0];

  const problemsOf = (line: EndedLine): readonly LineProblem[] => {
    const { status, code, message: whole } = line;
    const isOfCells = status === "invalid";
    const column = isAboutCells(line) ? namedColumn(whole, columnOfMember) : undefined;
    const found = isOfCells
      ? cellProblemsInLine(whole, quoted)
      : [{ column, message: whole, ownWords: whole }];
    const problems = new Map<string, LineProblem>();
    for (const [at, one] of found.entries()) {
      const { column, message } = one;
      // Quoted in what is wrong with a whole row is a cell, however it looks.
      const isOfRow = isOfCells && column === undefined;
      const template = messageTemplate(isOfRow ? message.replaceAll(quotes, '"…"') : message);
      // All problems of cells stand in one line, whose code is that of the first.
      const key = [status, isOfCells ? "" : code, column ?? "", template].join("\n");
      const problem = { ...one, status, code: at === 0 ? code : "", template, key };
      if (!problems.has(key)) problems.set(key, problem);
    }
    return [...problems.values()];
  };

  return {
    /** @returns its problems, each with its group unless there are too many */
    add(line: EndedLine): [problem: LineProblem, group: Group<ProblemOfLine> | undefined][] {
      const { status, code, message } = line;
      lines++;
      const exactly = `${status} ${code} ${message}`;
      const problems = known.get(exactly) ?? problemsOf(line);
      if (known.size < maxGroups) known.set(exactly, problems);
      if (problems.length > 1) severalProblems++;
      return problems.map((problem) => {
        const group = all.add({ ...problem, ...placeOf(line) });
        if (group !== undefined) group.example.code ||= problem.code;
        return [problem, group];
      });
    },
    groups: () => all.groups().map(outcomeGroupOf),
    /** Groups with the items themselves, as lines were added. */
    asAdded: all.groups,
    get lines() {
      return lines;
    },
    get severalProblems() {
      return severalProblems;
    },
    /** Problems without a group, as there were too many groups. */
    get ungrouped() {
      return all.ungrouped;
    },
  };
}

export type OutcomeGroups = ReturnType<typeof createOutcomeGroups>;

export function outcomeGroupOf({
  example: { status, code, column, message, template },
  isAlike,
  count,
  first,
}: Group<ProblemOfLine>): OutcomeGroup {
  return {
    ...{ status, code, column, isAlike, count, message: isAlike ? message : template },
    first: first.map(({ template: _1, key: _2, column: _3, ownWords, ...line }) => {
      return { ...line, message: ownWords };
    }),
  };
}

function copied(problem: ProblemOfLine): ProblemOfLine {
  const { cell, message, ownWords } = problem;
  return {
    ...problem,
    cell: cell && copyOf(cell, longestMessage),
    message: copyOf(message, longestMessage),
    ownWords: copyOf(ownWords, longestMessage),
  };
}

const usualGroups = 200;

const quotedText = '"(?:[^"\\\\]|\\\\.)*"';
/** A quote that does not end goes to the end of the text, so that each character is read once. */
const quotes = /"(?:[^"\\]|\\.)*(?:"|$)/gs;
const betweenProblems = new RegExp(`${quotes.source}|; (?=column ")`, "gs");
const beginsWithColumn = new RegExp(`^column (${quotedText}): (?:(${quotedText}) )?`);

/** What is wrong with the cells of a row, from its line: `column "Age": "x" is not a number; column "Plan": …`. */
function cellProblemsInLine(whole: string, quoted: ReadonlyMap<string, string>) {
  const cuts = [...whole.matchAll(betweenProblems)].filter(([text]) => !text.startsWith('"'));
  const starts = [0, ...cuts.map(({ index }) => index + 2)];
  return starts.map((start, at) => {
    const ownWords = whole.slice(start, cuts[at]?.index);
    const [head = "", name = "", cell] = beginsWithColumn.exec(ownWords) ?? [];
    const column = quoted.get(name);
    if (column === undefined) return { column, message: ownWords, ownWords };
    return { column, cell, message: ownWords.slice(head.length), ownWords };
  });
}

/** Whether the mapping or the service says why. Under other codes eventload does, whose words name a column by chance. */
export function isAboutCells({
  status,
  code,
  message,
}: Record<"status" | "code" | "message", string>) {
  return status === "invalid" || (/^(http_|$)/.test(code) && !/^status \d+$/.test(message));
}

/** The column of the first member that a service names in what it says. */
export function namedColumn(message: string, columnOfMember: ReadonlyMap<string, string>) {
  const words = message.slice(0, longestMessage).match(/[\p{L}\p{N}_.[\]-]+/gu) ?? [];
  for (const word of words) {
    const column = columnOfMember.get(word.replace(/[.-]+$/, ""));
    if (column !== undefined) return column;
  }
  return undefined;
}
