import { quote } from "../model/row.ts";
import { suggest } from "../model/suggest.ts";
import { type Columns, isBlank, type Report, type Trace } from "./columns.ts";
import { compileTransform, type Transform } from "./transform.ts";
import { type TransformName, transformNames } from "./value-schema.ts";

export interface CompiledTemplate {
  /** The columns that it names, each with its transforms. */
  readonly columns: readonly TemplateColumn[];
  /** @param trace receives the step of each transform */
  fill(cells: readonly string[], trace?: Trace): string;
}

interface TemplateColumn {
  readonly name: string;
  readonly transforms: readonly TransformName[];
}

/** A cell that the template inserts. */
interface Insert {
  read(cells: readonly string[]): string;
  readonly transform: Transform | undefined;
  readonly transforms: readonly TransformName[];
}

/**
 * Compiles `"{First Name} {Last Name|trim|uppercase}"`. `{{` and `}}` stand for the braces themselves.
 */
export function compileTemplate(
  template: string,
  known: Columns,
  report: Report,
): CompiledTemplate {
  const parts: (string | Insert)[] = [];
  const columns: TemplateColumn[] = [];
  const refused = (message: string): CompiledTemplate => {
    report([], message);
    return { columns, fill: () => "" };
  };
  let count = 0;
  let text = "";
  for (const [token, written] of template.matchAll(tokens)) {
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
    columns.push(inserted);
    text = "";
  }
  parts.push(text);
  if (count === 0) return refused("names no {column}: use value for a fixed text");
  return {
    columns,
    fill(cells, trace) {
      let blank = true;
      let filled = "";
      for (const part of parts) {
        if (typeof part === "string") {
          filled += part;
          continue;
        }
        const inserted = insertedText(part, cells, trace);
        if (!isBlank(inserted)) blank = false;
        filled += inserted;
      }
      return blank ? "" : filled;
    },
  };
}

/** Doubled braces, what is inserted, a brace alone, and text. */
const tokens = /\{\{|\}\}|\{([^}]*)\}|[{}]|[^{}]+/g;

function insertedText(
  { read, transform, transforms }: Insert,
  cells: readonly string[],
  trace: Trace | undefined,
): string {
  const cell = read(cells);
  const apply = trace === undefined ? transform : compileTransform([...transforms], trace);
  // Only a transform with a pattern can refuse a text.
  return apply === undefined ? cell : (apply(cell) as string);
}

/** Compiles what stands between braces; undefined if that cannot be. */
function compileInsert(
  written: string,
  { find, cell }: Columns,
  report: Report,
): (Insert & TemplateColumn) | undefined {
  const [name = "", ...steps] = written.split("|");
  const unknown = steps.filter((step) => !isTransformName(step));
  const found = find(name);
  if (found.kind === "found" && unknown.length === 0) {
    const transforms = steps.filter(isTransformName);
    return { name, transforms, transform: compileTransform(transforms), read: cell(found.index) };
  }
  if (found.kind === "problem") report([], found.message);
  for (const step of unknown) report([], describeUnknownTransform(step));
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
