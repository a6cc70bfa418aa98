import type { Command } from "./command.ts";
import { optionsOf } from "./config-schema.ts";
import { nameOf } from "./unknown-arguments.ts";

/**
 * The words of a command line with the command in front, where options stand before it: which of them
 * takes the next word for its value, yargs knows only once it knows the command.
 */
export function commandFirst(argv: readonly string[], commands: readonly Command[]): string[] {
  const at = placeOfCommand(argv, commands);
  const command = argv[at];
  return command === undefined ? [...argv] : [command, ...argv.slice(0, at), ...argv.slice(at + 1)];
}

function placeOfCommand(argv: readonly string[], commands: readonly Command[]): number {
  const options = optionsOf(commands);
  let at = 0;
  for (let word = argv[at]; word?.startsWith("-"); word = argv[at]) {
    const [, name = "", given] = /^--([^=]+)(=.*)?$/s.exec(word) ?? [];
    const option = options[name];
    if (option === undefined && !["--help", "-h"].includes(word)) {
      // That is refused, whatever it was to be: only what is said of it depends on the command.
      const names = commands.map(nameOf);
      return argv.findIndex((one) => names.includes(one));
    }
    const takesNext =
      given === undefined &&
      (option?.kind === "value" ||
        (option?.kind === "flag" && ["true", "false"].includes(argv[at + 1] ?? "")));
    at += takesNext ? 2 : 1;
  }
  return at;
}
