import { quote, quoteWhole } from "./row.ts";

const longest = 500;
/** What a terminal obeys instead of showing it. */
const unshown = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * What a user's function threw, and where. It may be any value, even one that throws when it is
 * converted to text.
 */
export function describeThrown(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return quote(String(thrown));
    const said = `${thrown.name}: ${thrown.message}`;
    const text = said.length > longest ? `${said.slice(0, longest)}…` : said;
    return `${text.replaceAll(unshown, asEscape)}${placeOf(thrown)}`;
  } catch {
    return "it threw something that cannot be shown as text";
  }
}

function placeOf(error: Error): string {
  try {
    const [, file, line, column] =
      /([^/\\?\s(]{1,255}\.mjs)(?:\?[^:)]{0,255})?:(\d+):(\d+)/.exec(callsOf(error)) ?? [];
    return file === undefined ? "" : ` (${file}:${line}:${column})`;
  } catch {
    return "";
  }
}

/** The stack without the message before it, which may be a cell of any length. */
export function callsOf(error: Error): string {
  const { name, message, stack = "" } = error;
  const said = `${name}: ${message}`;
  return stack.startsWith(said) ? stack.slice(said.length) : stack;
}

function asEscape(character: string): string {
  return quoteWhole(character).slice(1, -1);
}
