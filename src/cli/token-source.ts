import type { TokenSource } from "../delivery/token.ts";
import { cannotStart } from "../domain/errors.ts";
import type { Arguments, Origin } from "./arguments.ts";
import type { Host } from "./host.ts";

const rank: Record<Origin, number> = { "command line": 2, environment: 1, configuration: 0 };

/**
 * Where the token comes from. As with every option the command line counts more than the
 * environment, and that more than the configuration file.
 *
 * @throws CannotStartError where there is none, or two that count the same
 */
export function tokenSource(args: Arguments, env: Host["env"]): TokenSource {
  const file = args.setting("token-file");
  const command = args.setting("token-command");
  const value = env.EVENTLOAD_TOKEN ?? "";
  if (file !== undefined && file.origin === command?.origin) {
    throw cannotStart("option_invalid", file.place, `give it or ${command.place}, not both`);
  }
  const isFile = file !== undefined && (command === undefined || outranks(file, command));
  const chosen = isFile ? file : command;
  if (value.trim() !== "" && (chosen === undefined || chosen.origin === "configuration")) {
    return { kind: "value", value, from: "EVENTLOAD_TOKEN" };
  }
  if (chosen === undefined) throw cannotStart("token_missing");
  if (isFile) return { kind: "file", path: chosen.value };
  return { kind: "command", command: chosen.list ?? chosen.value };
}

function outranks(one: { readonly origin: Origin }, other: { readonly origin: Origin }): boolean {
  return rank[one.origin] > rank[other.origin];
}
