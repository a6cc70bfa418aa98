import { withoutSecrets } from "../../model/endpoint.ts";
import { cannotStart } from "../../model/errors.ts";
import type { TokenSource } from "../../model/token-source.ts";
import type { Host } from "../host.ts";
import { type Arguments, type Setting, weightOf, weightOfEnvironment } from "./arguments.ts";
import { isSameService } from "./earlier-run.ts";

/**
 * Where the token comes from. As with every option the command line counts more than the
 * environment, and that more than the configuration file. A token is for the base URL that is said at
 * the same place, and goes nowhere else.
 *
 * @param baseUrl where it is to go, if that is known
 * @throws CannotStartError where there is none, two that count the same, or one that is for another
 *   address
 */
export function tokenSource(
  args: Pick<Arguments, "setting" | "settings">,
  env: Host["env"],
  baseUrl: string | undefined,
): TokenSource {
  const file = args.setting("token-file");
  const command = args.setting("token-command");
  if (file !== undefined && command !== undefined && weightOf(file) === weightOf(command)) {
    throw cannotStart("option_invalid", file.place, `give it or ${command.place}, not both`);
  }
  const chosen = chosenToken(args, env);
  if (chosen === undefined) throw cannotStart("token_missing");
  refuseElsewhere(chosen, args.settings("base-url"), baseUrl);
  const { list, value, folder } = chosen;
  if (chosen.place === variable) return { kind: "value", value, from: variable };
  if (chosen.place === file?.place) return { kind: "file", path: value };
  // A token that this command is to replace is none of its business.
  const { [variable]: _, ...others } = env;
  const at = folder === undefined ? {} : { folder };
  return { kind: "command", command: list ?? value, env: others, ...at };
}

/**
 * Whether plain http may go to other machines. A configuration file says so only of a token that it names
 * itself: it may be somebody else's, and the token of the environment or of the command line is not.
 */
export function allowsHttp(args: Pick<Arguments, "flag" | "setting">, env: Host["env"]): boolean {
  if (!args.flag("allow-http")) return false;
  const isInFile = (setting: Setting | undefined) =>
    setting?.origin === "configuration" || setting?.origin === "target";
  return !isInFile(args.setting("allow-http")) || isInFile(chosenToken(args, env));
}

const variable = "EVENTLOAD_TOKEN";

/** Of all places where a token is said, that which counts most. */
function chosenToken(args: Pick<Arguments, "setting">, env: Host["env"]): Setting | undefined {
  const file = args.setting("token-file");
  const command = args.setting("token-command");
  const value = env[variable] ?? "";
  const isFile =
    file !== undefined && (command === undefined || weightOf(file) > weightOf(command));
  const chosen = isFile ? file : command;
  const isOutweighed = chosen !== undefined && weightOf(chosen) >= weightOfEnvironment;
  if (value.trim() === "" || isOutweighed) return chosen;
  return { value, origin: "environment", place: variable };
}

/** @throws CannotStartError where a token would go to another address than the one that it is for */
function refuseElsewhere(
  { origin, place }: Pick<Setting, "origin" | "place">,
  addresses: readonly Setting[],
  baseUrl: string | undefined,
): void {
  const at = (one: Setting["origin"]) => addresses.find((address) => address.origin === one);
  // A target that says no address has that of the file.
  const own = at(origin) ?? (origin === "target" ? at("configuration") : undefined);
  if (own === undefined || baseUrl === undefined || isSameService(own.value, baseUrl)) return;
  throw cannotStart("token_elsewhere", place, withoutSecrets(own.value), withoutSecrets(baseUrl));
}
