import { compileMapping, type Mapper } from "../../src/mapping/compile-mapping.ts";
import { loadMapping } from "../../src/mapping/load-mapping.ts";
import type { NamedInput } from "../../src/mapping/mapped-event.ts";
import type { MappedRow } from "../../src/model/event.ts";
import { describeFileProblem, type FileProblem } from "../../src/model/file-problem.ts";
import { problemText, type Row } from "../../src/model/row.ts";

export const people: NamedInput = { name: "people.csv", id: "0123456789abcdef" };

/** The first three lines of most mappings here. */
export const head = "version: 1\nresource: users\nevent: user.updated\n";

/** What `loadMapping` has to say, a line each. */
export function problemsOfFile(text: string): string[] {
  const loaded = loadMapping(text);
  return loaded.kind === "loaded" ? [] : lines(loaded.problems);
}

/** The same, with what can be said of the columns of an input. */
export function allProblemsOf(text: string, columns: readonly string[]): string[] {
  const loaded = loadMapping(text);
  return loaded.kind === "loaded"
    ? problemsOfColumns(text, columns)
    : lines(loaded.problemsWith(columns));
}

/** What `compileMapping` has to say to a mapping whose form is fine. */
export function problemsOfColumns(text: string, columns: readonly string[]): string[] {
  const loaded = loadMapping(text);
  if (loaded.kind === "invalid") throw new Error(lines(loaded.problems).join("\n"));
  const compiled = compileMapping(loaded.mapping, columns, people);
  return compiled.kind === "compiled" ? [] : lines(compiled.problems);
}

function lines(problems: readonly FileProblem[]): string[] {
  return problems.map((problem) => describeFileProblem("m.yaml", problem));
}

export function mapper(text: string, columns: readonly string[], input = people): Mapper {
  const loaded = loadMapping(text);
  if (loaded.kind === "invalid") throw new Error(lines(loaded.problems).join("\n"));
  const compiled = compileMapping(loaded.mapping, columns, input);
  if (compiled.kind === "invalid") throw new Error(lines(compiled.problems).join("\n"));
  return compiled.mapRow;
}

export function rowOf(cells: readonly string[], more: Partial<Row> = {}): Row {
  return { row: 1, line: 2, cells, ...more };
}

export const instant = "2024-05-01T10:00:00.000Z";

/** The texts of the requests of a row. */
export function bodies(mapped: MappedRow): string[] {
  if (mapped.kind !== "events") throw new Error(JSON.stringify(mapped));
  return mapped.events.map((event) => event.body(instant));
}

/** The requests, or why there are none, as short as a test likes it. */
export function shown(mapped: MappedRow): unknown {
  switch (mapped.kind) {
    case "events":
      return bodies(mapped).map((body): unknown => JSON.parse(body));
    case "invalid":
      return mapped.problems.map((problem) => `${problem.code}: ${problemText(problem)}`);
    case "skipped":
      return `${mapped.code}: ${mapped.message}`;
  }
}

/** What one member makes of one cell: its value, nothing, or the problem. */
export function memberOf(spec: string, cell: string, file = ""): unknown {
  const mapRow = mapper(`${head}${file}members:\n  it: ${spec}\n`, ["A"]);
  const result = shown(mapRow(rowOf([cell])));
  const [first] = result as readonly unknown[];
  return typeof first === "string" ? first : (first as { it?: unknown }).it;
}

/** The problem of one cell, given as `{ column: A, … } of cell`, without column and cell. */
export function problemOf(given: string): unknown {
  const [, spec = "", cell = ""] = /^(\{.*\}) of (.*)$/.exec(given) ?? [];
  const made = memberOf(spec, cell);
  return typeof made === "string" ? made.replace(`column "A": ${JSON.stringify(cell)} `, "") : made;
}

/** Cases as a text: what is given, and indented below it what is said of it, in one line or several. */
export function casesOf(text: string): [given: string, said: string][] {
  return [...text.matchAll(/^(\S.*)((?:\n {4}.*)+)$/gm)].map(([, given = "", said = ""]) => [
    given,
    said.replaceAll("\n    ", "\n").slice(1),
  ]);
}
