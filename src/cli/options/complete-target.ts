import type { Host } from "../host.ts";
import { type KnownOptions, readConfiguration } from "./configuration.ts";
import { completionRequest } from "./parse-command-line.ts";

/**
 * The targets of `eventload.yaml`, if a shell asks how `--target` goes on.
 *
 * @param known the options of all commands
 * @returns undefined if it asks for something else
 */
export async function completeTarget(
  { argv, env, cwd }: Pick<Host, "argv" | "env" | "cwd">,
  known: KnownOptions,
): Promise<string[] | undefined> {
  if (argv[0] !== completionRequest || argv.at(-2) !== "--target") return undefined;
  const at = argv.indexOf("--config");
  const file = at < 0 ? env.EVENTLOAD_CONFIG || undefined : argv[at + 1];
  // What is wrong with the file is said when a command reads it.
  const configuration = await readConfiguration(file, cwd, known).catch(() => undefined);
  return [...(configuration?.targets.keys() ?? [])];
}
