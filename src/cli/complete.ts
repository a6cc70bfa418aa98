import type { Command } from "./command.ts";
import { commandFirst } from "./command-first.ts";
import { describeOption, type Option } from "./option.ts";
import { nameOf } from "./unknown-arguments.ts";

/** A word that a shell may put in. */
export interface Candidate {
  readonly word: string;
  readonly describe: string;
}

/**
 * What may stand in place of the last of some words. Nothing is for the shell to take for a file.
 *
 * @param words those after the program's name, up to the cursor
 * @param targetNames reads them where they are asked for, of the configuration file that was typed
 */
export async function complete(
  words: readonly string[],
  commands: readonly Command[],
  targetNames: (config: string | undefined) => Promise<readonly string[]>,
): Promise<readonly Candidate[]> {
  const current = words.at(-1) ?? "";
  const before = commandFirst(words.slice(0, -1), commands);
  const [first] = before;
  if (first === undefined) return matching(current, firstWords(commands, current));
  const command = commands.find((one) => nameOf(one) === first);
  if (command === undefined || before.includes("--")) return [];

  const { option: name, value, asPrefix } = valueAt(before, current);
  const option = command.options[name];
  if (option?.kind === "value") {
    const values =
      name === "target" ? await targetNames(typedConfig(before)) : (option.choices ?? []);
    return matching(value, values.map(plain)).map(({ word, describe }) => ({
      word: `${asPrefix}${word}`,
      describe,
    }));
  }
  if (current.startsWith("-")) {
    const given = new Set(before.map((word) => word.replace(/=.*/s, "")));
    const open = [...Object.entries(command.options).map(asCandidate), help];
    return matching(
      current,
      open.filter(({ word }) => !given.has(word)),
    );
  }
  return matching(current, (command.positional?.choices ?? []).map(plain));
}

/** The option whose value is being typed, if it is one. bash makes a word of its own of `=`. */
function valueAt(before: readonly string[], current: string) {
  const [, inOne, value = ""] = /^--([^=]+)=(.*)$/s.exec(current) ?? [];
  if (inOne !== undefined) return { option: inOne, value, asPrefix: `--${inOne}=` };
  const isApart = before.at(-1) === "=" || current === "=";
  const holder =
    (current === "=" ? before : before.slice(0, isApart ? -1 : undefined)).at(-1) ?? "";
  const option = holder.startsWith("--") ? holder.slice(2) : "";
  return { option, value: current === "=" ? "" : current, asPrefix: "" };
}

/** bash makes three words of `--config=FILE`. */
function typedConfig(before: readonly string[]): string | undefined {
  const [, inOne, next] =
    /(?:^|\n)--config(?:=([^\n]+)|\n(?:=\n)?([^\n]+))/.exec(before.join("\n")) ?? [];
  return inOne ?? next;
}

const help = { word: "--help", describe: "Show help" };

function firstWords(commands: readonly Command[], current: string): Candidate[] {
  if (current.startsWith("-")) return [help, { word: "--version", describe: "Show the version" }];
  return commands.map((command) => ({ word: nameOf(command), describe: command.summary }));
}

function asCandidate([name, option]: [string, Option]): Candidate {
  return { word: `--${name}`, describe: describeOption(option) };
}

function plain(word: string): Candidate {
  return { word, describe: "" };
}

/** A word that a shell would have to quote is left to the person. */
function matching(beginning: string, candidates: readonly Candidate[]): Candidate[] {
  return candidates.filter(({ word }) => word.startsWith(beginning) && /^[\w.@+=-]+$/.test(word));
}
