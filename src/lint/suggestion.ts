import { stringify } from "yaml";
import type { ColumnUse } from "../model/column-use.ts";
import type { AcceptsLine } from "../model/finding.ts";

/** A line for the mapping file; absent if the mapping file cannot have it. */
export interface Suggestion {
  readonly suggestion?: string;
}

/** Suggests to add keys to the member of a column, if there is one. */
export function suggestMember(
  { member }: ColumnUse,
  added: Readonly<Record<string, unknown>>,
  accepts: AcceptsLine,
): Suggestion {
  if (member === undefined) return {};
  const line = toLine(member.name, { ...member.spec, ...added });
  return accepts(line, "member") ? { suggestion: line } : {};
}

/** Suggests a line for the whole file. */
export function suggestKey(key: string, value: unknown, accepts: AcceptsLine): Suggestion {
  const line = toLine(key, value);
  return accepts(line, "file") ? { suggestion: line } : {};
}

/** `plan: { column: Plan, transform: trim }` */
function toLine(key: string, value: unknown): string {
  const flow = stringify({ [key]: value }, { collectionStyle: "flow", lineWidth: 0 }).trim();
  return flow.replace(/^\{ /, "").replace(/ \}$/, "");
}
