import type { Command } from "./command.ts";
import { optionsOf } from "./config-schema.ts";
import { nameOf } from "./unknown-arguments.ts";

/**
 * What to say where an option without a value has taken the word after it, so that the command or the
 * file is missing.
 *
 * @returns nothing where no word went that way
 */
export function takenCommand(
  argv: readonly string[],
  commands: readonly Command[],
): string | undefined {
  const names = commands.map(nameOf);
  const taken = takenWords(argv, commands).find(({ word }) => names.includes(word));
  if (taken === undefined) return undefined;
  const { option, word } = taken;
  return `--${option} has no value: it takes the word after it, ${word}, which is then no command. Give it a value, or leave it out.`;
}

/** The same for a file: a word that cannot be the value of the option that it went to, or is the last. */
export function takenFile(
  argv: readonly string[],
  commands: readonly Command[],
): string | undefined {
  const options = optionsOf(commands);
  const taken = takenWords(argv, commands);
  for (const { option, word } of taken) {
    const read = options[option]?.read(word);
    if (read?.kind === "wrong") {
      return `--${option}${read.why}. Is its value missing? It takes the word after it, and no file is left.`;
    }
  }
  const last = taken.at(-1);
  // Others may hold a secret.
  const isPath = last !== undefined && options[last.option]?.isPath === true;
  return isPath && last.word === argv.at(-1)
    ? `Which file? The last word, ${last.word}, is the value of --${last.option}.`
    : undefined;
}

/** Options whose value is the next word. */
function takenWords(
  argv: readonly string[],
  commands: readonly Command[],
): { readonly option: string; readonly word: string }[] {
  const options = optionsOf(commands);
  return argv.flatMap((argument, at) => {
    const option = argument.startsWith("--") ? argument.slice(2) : "";
    const word = argv[at + 1];
    return options[option]?.kind !== "value" || word === undefined ? [] : [{ option, word }];
  });
}
