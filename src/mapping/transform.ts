import type { TransformName } from "./schema.ts";

const transforms = {
  lowercase: (cell: string) => cell.toLowerCase(),
  trim: (cell: string) => cell.trim(),
  uppercase: (cell: string) => cell.toUpperCase(),
} satisfies Record<TransformName, (cell: string) => string>;

/** One function that applies the named transforms in their order. */
export function compileTransform(
  names: TransformName | readonly TransformName[] | undefined,
): (cell: string) => string {
  const steps = (typeof names === "string" ? [names] : (names ?? [])).map(
    (name) => transforms[name],
  );
  const [only] = steps;
  if (only === undefined) return (cell) => cell;
  if (steps.length === 1) return only;
  return (cell) => steps.reduce((text, step) => step(text), cell);
}
