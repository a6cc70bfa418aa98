import type { Step } from "../model/event.ts";
import { quote } from "../model/row.ts";
import { suggest } from "../model/suggest.ts";
import { type Cell, type Columns, isBlank } from "./columns.ts";
import { compileTransform, type Transform } from "./transform.ts";
import { type TransformName, transformNames } from "./value-schema.ts";

export interface CompiledTemplate {
  readonly inserts: readonly Insert[];
  fill(cells: readonly string[]): string;
  /** The steps to what it gives. */
  told(cells: readonly string[]): readonly Step[];
}

interface Insert extends Cell {
  readonly name: string;
  readonly transforms: readonly TransformName[];
  readonly apply: Transform | undefined;
}

/** Compiles `"{First Name} {Last Name|trim|uppercase}"`. `{{` and `}}` stand for the braces themselves. */
export function compileTemplate(
  template: string,
  known: Columns,
  report: (problem: string) => void = () => {},
): CompiledTemplate {
  const parts: (string | Insert)[] = [];
  const inserts: Insert[] = [];
  const refused = (message: string): CompiledTemplate => {
    report(message);
    return { inserts, fill: () => "", told: () => [] };
  };
  let count = 0;
  let text = "";
  for (const [token, written] of template.matchAll(templateTokens)) {
    if (token === "}") return refused("has a } without its {: write }} for the brace itself");
    if (token === "{") return refused("has a { without its }: write {{ for the brace itself");
    if (written === undefined) {
      text += token === "{{" || token === "}}" ? token.charAt(0) : token;
      continue;
    }
    count++;
    const inserted = compileInsert(written, known, report);
    if (inserted === undefined) continue;
    parts.push(text, inserted);
    inserts.push(inserted);
    text = "";
  }
  parts.push(text);
  if (count === 0) return refused("names no {column}: use value for a fixed text");
  const fill = (cells: readonly string[]) => {
    let blank = true;
    let filled = "";
    for (const part of parts) {
      const text = typeof part === "string" ? part : insertedText(part, cells);
      if (typeof part !== "string" && !isBlank(text)) blank = false;
      filled += text;
    }
    return blank ? "" : filled;
  };
  return {
    inserts,
    fill,
    told(cells) {
      const columns = new Map(inserts.map((insert) => [insert.name, insert]));
      const steps = [...columns.values()].flatMap(({ told }) => told(cells));
      return [...steps, { by: "template", of: template, gives: fill(cells) }];
    },
  };
}

const templateTokens = /\{\{|\}\}|\{([^}]*)\}|[{}]|[^{}]+/g;

function insertedText({ read, apply }: Insert, cells: readonly string[]): string {
  const cell = read(cells);
  // Only a transform with a pattern can refuse a text.
  return apply === undefined ? cell : (apply(cell) as string);
}

/** Compiles what stands between braces; undefined if that cannot be. */
function compileInsert(
  written: string,
  { find, cell }: Columns,
  report: (problem: string) => void,
): Insert | undefined {
  const [name = "", ...steps] = written.split("|");
  const unknown = steps.filter((step) => !isTransformName(step));
  const found = find(name);
  if (found.kind === "found" && unknown.length === 0) {
    const transforms = steps.filter(isTransformName);
    return { name, transforms, apply: compileTransform(transforms), ...cell(found.index) };
  }
  if (found.kind === "problem") report(found.message);
  for (const step of unknown) report(describeUnknownTransform(step));
  return undefined;
}

function describeUnknownTransform(step: string): string {
  const meant = suggest(step, transformNames);
  const hint =
    meant === undefined ? `it takes ${transformNames.join(", ")}` : `did you mean ${meant}?`;
  return `${quote(step)} cannot stand in a template; ${hint}`;
}

function isTransformName(text: string): text is TransformName {
  return transformNames.some((name) => name === text);
}
