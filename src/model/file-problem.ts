/** One problem of a file that people write: a mapping or a configuration. */
export interface FileProblem {
  /** From 1. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
  /** The part of the file, such as `members.age.type`; empty for the whole. */
  readonly path: string;
  readonly message: string;
  /** The line of the file, and below it a caret at the place. */
  readonly excerpt?: readonly string[];
}

/** `mapping.yaml:12:5: members.age.type: "int" is not …` */
export function describeFileProblem(fileName: string, problem: FileProblem): string {
  const place = problem.line === undefined ? "" : `:${problem.line}:${problem.column ?? 1}`;
  const path = problem.path === "" ? "" : `${problem.path}: `;
  return `${fileName}${place}: ${path}${problem.message}`;
}

export function showFileProblem(fileName: string, problem: FileProblem): string {
  return [describeFileProblem(fileName, problem), ...(problem.excerpt ?? [])].join("\n");
}

export function inFileOrder(problems: readonly FileProblem[]): FileProblem[] {
  return problems.toSorted(
    (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  );
}

const excerptWidth = 96;
const maxBeforePlace = 60;

/** A line of a file and, below it, a caret that points at a place. A long line is cut around the place. */
export function excerptOf(
  text: string,
  line: number,
  lineStart: number,
  offset: number,
): readonly string[] {
  const start = offset - lineStart > maxBeforePlace ? offset - maxBeforePlace : lineStart;
  const [rest = ""] = /^[^\r\n]*/.exec(text.slice(start, start + excerptWidth + 1)) ?? [];
  const cutBefore = start > lineStart ? "…" : "";
  const cutAfter = rest.length > excerptWidth ? "…" : "";
  const shown = `${cutBefore}${visible(rest.slice(0, excerptWidth))}${cutAfter}`;
  const indent = `${cutBefore}${visible(text.slice(start, offset))}`.replaceAll(/./gsu, " ");
  const margin = String(line);
  return [`${margin} | ${shown}`.trimEnd(), `${" ".repeat(margin.length)} | ${indent}^`];
}

/** Replaces each character that a terminal would not show as one, so that the caret stays in place. */
function visible(text: string): string {
  return text.replaceAll("\t", " ").replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, "�");
}
