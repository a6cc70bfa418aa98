import { z } from "zod";

/* What members of manifests, journals and states can be: all that is read from these files is parsed by them. */

export const number = z.number();
export const string = z.string();
/** Of rows, events, attempts, bytes or the like. */
export const amount = z.int().nonnegative();
/** Of what is counted from 1. */
export const ordinal = z.int().positive();
/** An ISO 8601 instant. */
export const moment = z.iso.datetime();
export const longText = z.string().max(65_536);
export const pathText = longText.regex(/^[^\0]+$/);
export const fileName = pathText.regex(/^[^/]+$/);
/** 16 hex digits, such as the identity of an input in event ids. */
export const shortHash = z.string().regex(/^[\da-f]{16}$/);
export const sha256 = z.string().regex(/^[\da-f]{64}$/);
export const fingerprint = z.object({ bytes: amount, sha256 });

/** Members of one schema, by their names. */
export function each<const Name extends string, Member extends z.ZodType>(
  names: readonly Name[],
  member: Member,
) {
  const members = names.map((name) => [name, member]);
  return Object.fromEntries(members) as { [name in Name]: Member };
}

/** A value that is null where it is absent. */
export function orNull<Value extends z.ZodType>(value: Value) {
  return value.nullable().prefault(null as z.input<Value>);
}

/** Says which member is wrong, as the end of a sentence: `parts[0].rows is not as eventload writes it`. */
export function describeWrong({ issues: [first] }: z.ZodError): string {
  const member = z.core.toDotPath(first?.path ?? []);
  if (member === "" && first?.code === "custom") return first.message;
  return `${member || "it"} is not as eventload writes it`;
}
