import { isBlank, trimmed } from "./columns.ts";
import { compileReplace } from "./pattern.ts";
import type { TransformName, TransformSpec, TransformStep } from "./value-schema.ts";

/** A step, or all steps in their order; undefined if a cell is too long for a pattern. */
export type Transform = (cell: string) => string | undefined;

const transforms = {
  collapse_spaces: (cell: string) => cell.replaceAll(/\s+/gu, " ").trim(),
  digits_only: (cell: string) => cell.replaceAll(/\P{Nd}+/gu, ""),
  lowercase: (cell: string) => cell.toLowerCase(),
  title_case: titleCase,
  trim: trimmed,
  uppercase: (cell: string) => cell.toUpperCase(),
} satisfies Record<TransformName, (cell: string) => string>;

export function transformSteps(spec: TransformSpec | undefined) {
  return (spec === undefined ? [] : [spec].flat()).map((step) => ({
    of: typeof step === "string" ? step : JSON.stringify(step),
    apply: compileStep(step),
  }));
}

export function compileTransform(spec: TransformSpec | undefined): Transform | undefined {
  const steps = transformSteps(spec).map(({ apply }) => apply);
  const [only] = steps;
  if (steps.length < 2) return only;
  return (cell) => {
    let text: string | undefined = cell;
    for (const step of steps) {
      text = step(text);
      if (text === undefined) return undefined;
    }
    return text;
  };
}

function compileStep(step: TransformStep): Transform {
  if (typeof step === "string") return transforms[step];
  const { strip_prefix: prefix, replace, split, pad_start: padding } = step;
  if (prefix !== undefined) {
    return (cell) => (cell.startsWith(prefix) ? cell.slice(prefix.length) : cell);
  }
  if (split !== undefined) return compileSplit(split.by, split.item);
  if (padding !== undefined) return compilePadStart(padding.length, padding.with);
  const { find = "", pattern, with: replacement = "" } = replace ?? {};
  if (pattern === undefined) return (cell) => cell.split(find).join(replacement);
  const compiled = compileReplace(pattern, replacement);
  // The loader refuses invalid patterns.
  if (compiled.kind === "problem") throw new Error(compiled.message);
  return compiled.replace;
}

/** @param item from 1, or from the end from -1 */
function compileSplit(by: string, item: number): Transform {
  const at = item > 0 ? item - 1 : item;
  return (cell) => trimmed(cell.split(by).at(at) ?? "");
}

/** A blank cell stays as it is: five zeros are no postal code. */
function compilePadStart(length: number, filling: string): Transform {
  return (cell) => {
    if (isBlank(cell)) return cell;
    const text = trimmed(cell);
    return filling.repeat(Math.max(0, length - [...text].length)) + text;
  };
}

/** `O'NEIL van-dyke` becomes `O'Neil Van-Dyke`: a word begins after anything but a letter or a digit. */
function titleCase(cell: string): string {
  return cell.replaceAll(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu, titled);
}

function titled(word: string): string {
  const [first = ""] = word;
  // The capital of ß or of the ligature ff is two letters, of which the second is small: it becomes Ss.
  const [capital = "", ...others] = first.toUpperCase();
  return capital + others.join("").toLowerCase() + word.slice(first.length).toLowerCase();
}
