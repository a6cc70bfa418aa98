import { isSameService, withoutSecrets } from "../../model/endpoint.ts";
import { cannotStart } from "../../model/errors.ts";
import type { TokenSource } from "../../model/token-source.ts";
import type { Host } from "../host.ts";
import { type Arguments, type GivenValue, isInFile, type SettingsLayer } from "./arguments.ts";
import { refuseFoundProgram } from "./found-file.ts";

/**
 * Where the token comes from: the first place that says one. A token is for the base URL that is said at
 * the same place, and goes nowhere else.
 *
 * @param baseUrl where it is to go, if that is known
 * @throws CannotStartError if there is none, if there are two at one place, or if it is for another address
 */
export function tokenSource(
  { layers }: Pick<Arguments, "layers">,
  env: Host["env"],
  baseUrl: string | undefined,
): TokenSource {
  const [token, file, command] = namedFirst(layers);
  if (file !== undefined && command !== undefined) {
    throw cannotStart("option_invalid", file.place, `give it or ${command.place}, not both`);
  }
  const chosen = token ?? file ?? command;
  if (chosen === undefined) throw cannotStart("token_missing");
  refuseElsewhere(chosen, layers, baseUrl);
  const { list, value, folder, place } = chosen;
  if (chosen === token) return { kind: "value", value, from: place };
  if (chosen === file) return { kind: "file", path: value };
  refuseFoundProgram(command);
  // A token that this command is to replace is none of its business.
  const { EVENTLOAD_TOKEN: _, ...others } = env;
  const where = folder === undefined ? {} : { folder };
  return { kind: "command", command: list ?? value, env: others, ...where };
}

export function hasToken({ layers }: Pick<Arguments, "layers">): boolean {
  return namedFirst(layers).some((setting) => setting !== undefined);
}

/**
 * The layers without the `allow_http` of a file that does not name the token that counts, or that nobody named: whoever
 * wrote the file would decide that the token of somebody else is sent in the clear.
 */
export function withHttpForItsToken(layers: readonly SettingsLayer[]): readonly SettingsLayer[] {
  const isOfFile = namedFirst(layers).some(isInFile);
  const counts = (one: GivenValue) => !isInFile(one) || (isOfFile && one.foundIn === undefined);
  return layers.map(
    (layer) => new Map([...layer].filter(([name, one]) => name !== "allow-http" || counts(one))),
  );
}

const names = ["token", "token-file", "token-command"] as const;

/** What the first place says that names a token. */
function namedFirst(layers: readonly SettingsLayer[]): (GivenValue | undefined)[] {
  const first = layers.find((layer) => names.some((name) => layer.has(name)));
  return names.map((name) => first?.get(name));
}

/** @throws CannotStartError if a token would go to another address than the one that it is for */
function refuseElsewhere(
  { origin, place }: GivenValue,
  layers: Arguments["layers"],
  baseUrl: string | undefined,
): void {
  const addresses = layers.flatMap((layer) => layer.get("base-url") ?? []);
  const at = (one: GivenValue["origin"]) => addresses.find((address) => address.origin === one);
  // A target that says no address has that of the file.
  const own = at(origin) ?? (origin === "target" ? at("configuration") : undefined);
  if (own === undefined || baseUrl === undefined || isSameService(own.value, baseUrl)) return;
  throw cannotStart("token_elsewhere", place, withoutSecrets(own.value), withoutSecrets(baseUrl));
}
