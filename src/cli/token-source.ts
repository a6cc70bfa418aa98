import type { TokenSource } from "../delivery/token.ts";
import { cannotStart } from "../domain/errors.ts";
import type { Arguments } from "./arguments.ts";
import type { Host } from "./host.ts";
import { weightOf, weightOfEnvironment } from "./setting.ts";

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
  if (file !== undefined && command !== undefined && weightOf(file) === weightOf(command)) {
    throw cannotStart("option_invalid", file.place, `give it or ${command.place}, not both`);
  }
  const isFile =
    file !== undefined && (command === undefined || weightOf(file) > weightOf(command));
  const chosen = isFile ? file : command;
  const isOutweighed = chosen !== undefined && weightOf(chosen) >= weightOfEnvironment;
  if (value.trim() !== "" && !isOutweighed) {
    return { kind: "value", value, from: "EVENTLOAD_TOKEN" };
  }
  if (chosen === undefined) throw cannotStart("token_missing");
  if (isFile) return { kind: "file", path: chosen.value };
  return { kind: "command", command: chosen.list ?? chosen.value };
}
