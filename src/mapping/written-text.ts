import { z } from "zod";

/** Schemas of text that YAML may have taken for a number, a boolean or nothing. */
const written = z.registry<Record<never, never>>();
/** Those where nothing is nothing: an editor cannot tell a key without a value from `null`. */
const neverNull = z.registry<Record<never, never>>();

/**
 * Text that a mapping file may write without quotes: `01` and `true` are fine names of columns.
 */
export function asWritten<Schema extends z.ZodString | z.ZodEnum>(schema: Schema): Schema {
  written.add(schema, {});
  return schema;
}

export function isAsWritten(schema: z.core.$ZodType): boolean {
  return written.has(schema);
}

/** Whether `null` may stand for the word. */
export function isNullWritten(schema: z.core.$ZodType): boolean {
  return written.has(schema) && !neverNull.has(schema);
}

/** Text that is not empty, nor `null` without quotes. */
export function text(description: string): z.ZodString {
  const schema = asWritten(z.string().min(1, "is blank").describe(description));
  neverNull.add(schema, {});
  return schema;
}

/** Text in which there is something to see. */
export function visibleText(description: string): z.ZodString {
  return asWritten(z.string().regex(/\S/, "is blank").describe(description));
}
