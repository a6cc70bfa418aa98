import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { shells } from "../../model/disk/platform.ts";
import type { Command } from "../command.ts";
import type { ParsedArguments } from "./arguments.ts";

/**
 * The arguments with the names of files in the place of patterns such as `exports\\*.csv`, as a shell of Unix gives
 * them. A pattern that no name matches stays as it is.
 */
export function expandPatterns(
  { positional }: Pick<Command, "positional">,
  parsed: ParsedArguments,
  typedIn = shells,
): ParsedArguments {
  if (typedIn === "unix" || positional?.isList !== true) return parsed;
  const words = [parsed[positional.name] ?? []].flat().map(String);
  return { ...parsed, [positional.name]: words.flatMap(namesOf) };
}

function namesOf(word: string): string | string[] {
  const pattern = basename(word);
  if (!/[*?]/.test(pattern)) return word;
  const literal = pattern.replaceAll(/[\\^$.|+()[\]{}]/g, "\\$&");
  const matching = new RegExp(`^${literal.replaceAll("*", ".*").replaceAll("?", ".")}$`, "isu");
  const folder = dirname(word);
  try {
    const names = readdirSync(folder).filter((name) => matching.test(name));
    return names.length === 0 ? word : names.toSorted().map((name) => join(folder, name));
  } catch {
    return word;
  }
}
