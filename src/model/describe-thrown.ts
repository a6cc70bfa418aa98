import { oneLine } from "./escape-text.ts";
import { cutTo, quote } from "./row.ts";

const longest = 500;

/**
 * What a user's function threw, and where. It may be any value, even one that throws when it is
 * converted to text.
 */
export function describeThrown(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return quote(String(thrown));
    return oneLine(cutTo(longest, `${thrown.name}: ${thrown.message}`)) + placeOf(thrown);
  } catch {
    return "it threw something that cannot be shown as text";
  }
}

/** The place in the stack, without the message before it, which may be a cell of any length. */
function placeOf({ name, message, stack = "" }: Error): string {
  const said = `${name}: ${message}`;
  const calls = stack.startsWith(said) ? stack.slice(said.length) : stack;
  const [, file, line, column] =
    /([^/\\?\s(]{1,255}\.mjs)(?:\?[^:)]{0,255})?:(\d+):(\d+)/.exec(calls) ?? [];
  return file === undefined ? "" : ` (${file}:${line}:${column})`;
}
