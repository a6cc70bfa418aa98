import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { comparedName } from "../../model/disk/platform.ts";
import type { Command } from "../command.ts";
import type { ParsedArguments } from "./arguments.ts";

/**
 * The arguments with the names of files in the place of patterns such as `out/people.*-of-8.results.csv`: not every shell
 * does that, and no engine without one. A pattern that no name matches stays as it is.
 */
export function expandPatterns(
  { positional }: Pick<Command, "positional">,
  parsed: ParsedArguments,
): ParsedArguments {
  if (positional?.isList !== true) return parsed;
  const words = [parsed[positional.name] ?? []].flat().map(String);
  return { ...parsed, [positional.name]: words.flatMap(namesOf) };
}

/** `*` is any text, `?` any character. */
function namesOf(word: string): string | string[] {
  const pattern = basename(word);
  if (!/[*?]/.test(pattern) || existsSync(word)) return word;
  const literal = comparedName(pattern).replaceAll(/[\\^$.|+()[\]{}]/g, "\\$&");
  const matching = new RegExp(`^${literal.replaceAll("*", ".*").replaceAll("?", ".")}$`, "su");
  const folder = dirname(word);
  try {
    const names = readdirSync(folder).filter((name) => matching.test(comparedName(name)));
    return names.length === 0 ? word : names.toSorted().map((name) => join(folder, name));
  } catch {
    return word;
  }
}
