import type { Command } from "./command.ts";
import type { Host } from "./host.ts";
import { toVariable } from "./option.ts";
import type { Setting } from "./setting.ts";
import { nameOf } from "./unknown-arguments.ts";

/**
 * What the command line or the environment says of an option of a run, before they are understood.
 * Nothing where it is there twice.
 */
export function earlySetting(
  option: string,
  commands: readonly Command[],
  { argv, env }: Pick<Host, "argv" | "env">,
): Setting | undefined {
  const command = commands.find((one) => nameOf(one) === argv[0]);
  if (command?.isRun !== true) return undefined;
  const variable = toVariable(option);
  const typed = argv.flatMap((argument, at) => {
    if (argument === `--${option}`) return argv[at + 1] ?? [];
    return argument.startsWith(`--${option}=`) ? argument.slice(option.length + 3) : [];
  });
  const [value = env[variable] ?? "", ...others] = typed;
  if (value.trim() === "" || others.length > 0) return undefined;
  return typed.length > 0
    ? { value, origin: "command line", place: `--${option}` }
    : { value, origin: "environment", place: variable };
}
