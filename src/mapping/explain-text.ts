import type { Step } from "../model/explanation.ts";
import { isBlank } from "./blank.ts";
import type { Columns } from "./columns.ts";
import { compileTemplate } from "./template.ts";
import { compileTransform } from "./transform.ts";
import type { TransformSpec } from "./transform-schema.ts";

interface TextSpec {
  readonly column?: string | undefined;
  readonly columns?: readonly string[] | undefined;
  readonly template?: string | undefined;
  readonly transform?: TransformSpec | undefined;
}

/** The steps from the cells of a row to the text of a member, and that text, if they get there. */
export function explainText(
  spec: TextSpec,
  cells: readonly string[],
  columns: Columns,
): { readonly steps: Step[]; readonly text: string | undefined } {
  const steps: Step[] = [];
  let text = "";
  const take = (name: string): string => {
    const found = columns.find(name);
    if (found.kind === "problem") return "";
    const cell = cells[found.index] ?? "";
    steps.push({ by: "column", of: name, gives: cell });
    const counted = columns.cell(found.index)(cells);
    if (counted !== cell) steps.push({ by: "null_values", gives: counted });
    return counted;
  };

  if (spec.template !== undefined) {
    const template = compileTemplate(spec.template, columns);
    if (template.kind === "compiled") {
      for (const name of new Set(template.columns)) take(name);
      text = template.fill(cells);
    }
    steps.push({ by: "template", of: spec.template, gives: text });
  } else {
    for (const name of spec.columns ?? [spec.column ?? ""]) {
      text = take(name);
      if (!isBlank(text)) break;
      // Where all are blank, there is nothing, whatever the last one has of white space.
      if (spec.columns !== undefined) text = "";
    }
  }
  for (const step of spec.transform === undefined ? [] : [spec.transform].flat()) {
    const transformed = compileTransform(step)?.(text);
    if (transformed === undefined) return { steps, text: undefined };
    text = transformed;
    const of = typeof step === "string" ? step : JSON.stringify(step);
    steps.push({ by: "transform", of, gives: text });
  }
  return { steps, text };
}
