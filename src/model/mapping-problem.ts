/** One problem of a mapping file, with its place where that is known. */
export interface MappingProblem {
  /** From 1. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
  /** The part of the file, such as `members.age.type`; empty for the whole. */
  readonly path: string;
  /** What is wrong and what to do. */
  readonly message: string;
  /** The line of the file, and below it a caret at the place. */
  readonly excerpt?: readonly string[];
}

/** `mapping.yaml:12:5: members.age.type: "int" is not …` */
export function describeMappingProblem(fileName: string, problem: MappingProblem): string {
  const place = problem.line === undefined ? "" : `:${problem.line}:${problem.column ?? 1}`;
  const path = problem.path === "" ? "" : `${problem.path}: `;
  return `${fileName}${place}: ${path}${problem.message}`;
}

/** The same, and below it the place in the file. */
export function showMappingProblem(fileName: string, problem: MappingProblem): string {
  return [describeMappingProblem(fileName, problem), ...(problem.excerpt ?? [])].join("\n");
}
