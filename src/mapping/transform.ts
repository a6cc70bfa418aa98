import { compilePattern } from "./match-pattern.ts";
import type { TransformName, TransformSpec, TransformStep } from "./transform-schema.ts";

/** One step, or all of them in their order. */
export type Transform = (cell: string) => string;

const transforms = {
  collapse_spaces: (cell: string) => cell.replaceAll(/\s+/gu, " ").trim(),
  digits_only: (cell: string) => cell.replaceAll(/[^0-9]+/g, ""),
  lowercase: (cell: string) => cell.toLowerCase(),
  nfc: (cell: string) => cell.normalize("NFC"),
  title_case: titleCase,
  trim: (cell: string) => cell.trim(),
  uppercase: (cell: string) => cell.toUpperCase(),
} satisfies Record<TransformName, Transform>;

/** One function that applies the transforms in their order; nothing where there is none. */
export function compileTransform(spec: TransformSpec | undefined): Transform | undefined {
  const steps = (spec === undefined ? [] : [spec].flat()).map(compileStep);
  const [only] = steps;
  if (steps.length < 2) return only;
  return (cell) => steps.reduce((text, step) => step(text), cell);
}

function compileStep(step: TransformStep): Transform {
  if (typeof step === "string") return transforms[step];
  const { strip_prefix: prefix, replace } = step;
  if (prefix !== undefined) {
    return (cell) => (cell.startsWith(prefix) ? cell.slice(prefix.length) : cell);
  }
  const { find = "", pattern, with: replacement = "" } = replace ?? {};
  if (pattern === undefined) return (cell) => cell.split(find).join(replacement);
  const compiled = compilePattern(pattern);
  // The loader has refused every other pattern.
  if (compiled.kind === "problem") throw new Error(compiled.message);
  return (cell) => compiled.replace(cell, replacement);
}

/** `O'NEIL van-dyke` becomes `O'Neil Van-Dyke`; the s of `mary's` is no name. */
function titleCase(cell: string): string {
  return cell.replaceAll(
    /(['’]?)(\p{L})([\p{L}\p{M}]*)/gu,
    (_, mark: string, first: string, rest: string) =>
      mark +
      (mark !== "" && rest === "" ? first.toLowerCase() : first.toUpperCase()) +
      rest.toLowerCase(),
  );
}
