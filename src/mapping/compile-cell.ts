import type { RowProblem } from "../model/row.ts";
import { type Columns, isBlank } from "./columns.ts";
import { compileTransform, type Transform, tooManySteps } from "./transform.ts";
import type { TransformSpec } from "./value-schema.ts";

/** Reads the text of a column or a template, and describes problems with it. */
export interface CellReader {
  readonly kind: "reader";
  /** After the transforms; undefined if they take too many steps. */
  read(cells: readonly string[]): string | undefined;
  /** The problem of a cell whose transforms take too many steps. */
  stepsProblem(cells: readonly string[]): RowProblem;
  /** A problem of this cell, with its column and value as the input has them. */
  problem(cells: readonly string[], code: RowProblem["code"], message: string): RowProblem;
}

/** Something that cannot be compiled, with the path to its key. */
export interface PartProblem {
  readonly at: readonly (string | number)[];
  readonly message: string;
}

export type CompiledCell =
  | CellReader
  | { readonly kind: "problems"; readonly problems: readonly PartProblem[] };

interface CellSpec {
  readonly column?: string | undefined;
  readonly columns?: readonly string[] | undefined;
  readonly template?: string | undefined;
  readonly transform?: TransformSpec | undefined;
}

export function compileCell(spec: CellSpec, columns: Columns): CompiledCell {
  const transform = compileTransform(spec.transform, columns.trace);
  if (spec.template !== undefined) {
    const template = compileTemplate(spec.template, columns);
    if (template.kind === "problem")
      return problems([{ at: ["template"], message: template.message }]);
    const { trace } = columns;
    const traced: Transform = (text) => {
      trace?.step({ by: "template", of: spec.template ?? "", gives: text });
      return transform === undefined ? text : transform(text);
    };
    return reader(
      (cells) => template.fill(cells),
      () => template.columns.join(", "),
      trace === undefined ? transform : traced,
    );
  }
  if (spec.columns !== undefined) return firstOf(spec.columns, columns, transform);
  const name = spec.column ?? "";
  const found = columns.find(name);
  if (found.kind === "problem") return problems([{ at: ["column"], message: found.message }]);
  return reader(columns.cell(found.index), () => name, transform);
}

/** The first of several columns that is not blank. */
function firstOf(
  names: readonly string[],
  columns: Columns,
  transform: Transform | undefined,
): CompiledCell {
  const found = names.map((name) => columns.find(name));
  const missing = found.flatMap((one, at) =>
    one.kind === "problem" ? [{ at: ["columns", at], message: one.message }] : [],
  );
  if (missing.length > 0) return problems(missing);
  const readers = found.flatMap((one) => (one.kind === "found" ? [columns.cell(one.index)] : []));
  const firstAt = (cells: readonly string[]) => readers.findIndex((read) => !isBlank(read(cells)));
  return reader(
    (cells) => {
      for (const read of readers) {
        const text = read(cells);
        if (!isBlank(text)) return text;
      }
      return "";
    },
    (cells) => names[firstAt(cells)] ?? names.join(", "),
    transform,
  );
}

function problems(found: readonly PartProblem[]): CompiledCell {
  return { kind: "problems", problems: found };
}

function reader(
  raw: (cells: readonly string[]) => string,
  columnOf: (cells: readonly string[]) => string,
  transform: Transform | undefined,
): CellReader {
  const problem: CellReader["problem"] = (cells, code, message) => {
    const value = raw(cells);
    return { code, column: columnOf(cells), message, ...(isBlank(value) ? {} : { value }) };
  };
  return {
    kind: "reader",
    read: transform === undefined ? raw : (cells) => transform(raw(cells)),
    stepsProblem: (cells) => problem(cells, tooManySteps.code, tooManySteps.message),
    problem,
  };
}

export type CompiledTemplate =
  | {
      readonly kind: "compiled";
      /** The columns that it names. */
      readonly columns: readonly string[];
      fill(cells: readonly string[]): string;
    }
  | { readonly kind: "problem"; readonly message: string };

const maxTemplateColumns = 1000;

/** Compiles `"{First Name} {Last Name}"`; `{{` and `}}` stand for the braces themselves. */
export function compileTemplate(template: string, { find, cell }: Columns): CompiledTemplate {
  const parts: (string | ((cells: readonly string[]) => string))[] = [];
  const columns: string[] = [];
  let text = "";
  for (let at = 0; at < template.length; at++) {
    const char = template.charAt(at);
    const doubled = char === template.charAt(at + 1);
    if ((char === "{" || char === "}") && doubled) {
      text += char;
      at++;
    } else if (char === "}") {
      return { kind: "problem", message: "has a } without its {: write }} for the brace itself" };
    } else if (char !== "{") {
      text += char;
    } else {
      const end = template.indexOf("}", at);
      if (end < 0) {
        return { kind: "problem", message: "has a { without its }: write {{ for the brace itself" };
      }
      const name = template.slice(at + 1, end);
      const found = find(name);
      if (found.kind === "problem") return found;
      parts.push(text, cell(found.index));
      columns.push(name);
      if (columns.length > maxTemplateColumns) {
        return {
          kind: "problem",
          message: `names more than ${maxTemplateColumns} columns: use fewer`,
        };
      }
      text = "";
      at = end;
    }
  }
  parts.push(text);
  if (columns.length === 0) {
    return { kind: "problem", message: "names no {column}: use value for a fixed text" };
  }
  return {
    kind: "compiled",
    columns,
    fill(cells) {
      let blank = true;
      let filled = "";
      for (const part of parts) {
        if (typeof part === "string") {
          filled += part;
          continue;
        }
        const inserted = part(cells);
        if (!isBlank(inserted)) blank = false;
        filled += inserted;
      }
      return blank ? "" : filled;
    },
  };
}
