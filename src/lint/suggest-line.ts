import { stringify } from "yaml";
import type { ColumnUse } from "../model/column-use.ts";
import type { AcceptsLine } from "../model/finding.ts";

/**
 * The line of the mapping that makes a member of a column, with something added to it; nothing where
 * there is no such member, or the mapping file cannot have such a line.
 */
export function suggestMember(
  { member }: ColumnUse,
  added: Readonly<Record<string, unknown>>,
  accepts: AcceptsLine,
): { readonly suggestion?: string } {
  if (member === undefined) return {};
  const line = toLine(member.name, { ...member.spec, ...added });
  return accepts(line, "member") ? { suggestion: line } : {};
}

/** The same of a line that is about the whole file. */
export function suggestKey(
  key: string,
  value: unknown,
  accepts: AcceptsLine,
): { readonly suggestion?: string } {
  const line = toLine(key, value);
  return accepts(line, "file") ? { suggestion: line } : {};
}

/** `plan: { column: Plan, transform: trim }` */
function toLine(key: string, value: unknown): string {
  const flow = stringify({ [key]: value }, { collectionStyle: "flow", lineWidth: 0 }).trim();
  return flow.replace(/^\{ /, "").replace(/ \}$/, "");
}
