import { join } from "node:path";
import { withoutSecrets } from "../../model/endpoint.ts";
import { cannotStart } from "../../model/errors.ts";
import { suggest } from "../../model/suggest.ts";
import type { Host } from "../host.ts";
import type { EarlierRun, Setting } from "./arguments.ts";
import { isSameService } from "./earlier-run.ts";
import { toVariable } from "./option-types.ts";
import {
  type Configuration,
  type ConfigurationFile,
  type KnownOptions,
  readConfiguration,
  whyNoTarget,
} from "./read-configuration.ts";

/** Settings from outside of the command line. */
export interface Settings {
  /** By the names of the options; each setting says what it weighs against another. */
  readonly layers: readonly ReadonlyMap<string, Setting>[];
  /** What looks like a slip. */
  readonly warnings: readonly string[];
}

const configName = "eventload.yaml";

/** The configuration file in use, whether or not it is there. */
export function configurationFile(given: string | undefined, cwd: string): ConfigurationFile {
  return given === undefined
    ? { path: join(cwd, configName), name: configName, mustExist: false }
    : { path: given, name: given, mustExist: true };
}

/**
 * Collects what the environment (`EVENTLOAD_BASE_URL`) and `eventload.yaml` (`base_url`) say, and of
 * the targets in that file the one that is named.
 *
 * @param known the options of all commands
 * @param given what stands on the command line
 * @param hasTarget whether the command sends to somewhere, so that a target means something
 * @param earlier the run that the command goes on from: its target counts where none is typed
 * @throws CannotStartError where the configuration file cannot be used, or has no such target
 */
export async function readSettings(
  { env, cwd }: Pick<Host, "env" | "cwd">,
  known: KnownOptions,
  given: ReadonlyMap<string, Setting>,
  hasTarget: boolean,
  earlier?: EarlierRun,
): Promise<Settings> {
  const { settings: environment, warnings } = readEnvironment(env, Object.keys(known));
  const chosen = (given.get("config") ?? environment.get("config"))?.value;
  const configuration = await readConfiguration(configurationFile(chosen, cwd), known);
  const layers = [environment, configuration.settings];
  const [named, ofRun] = targetInForce([given, ...layers], hasTarget ? earlier : undefined);
  if (ofRun !== undefined) layers.push(new Map([["target", ofRun]]));
  const target = ofRun ?? named;
  if (!hasTarget || target === undefined) return { layers, warnings };
  const isOfRun = !given.has("target") && earlier?.target === target.value;
  const hasTypedToken = given.has("token-file") || given.has("token-command");
  if (isOfRun) {
    const why = whyNotWhereItWent(earlier, configuration);
    if (why !== undefined && !hasTypedToken) throw cannotStart("target_differs", ...why);
    if (why !== undefined) return { layers, warnings };
  }
  layers.push(settingsOfTarget(target, configuration));
  return { layers, warnings };
}

/** The target that is named, and that of the run before where it is another and counts more. */
function targetInForce(
  layers: readonly ReadonlyMap<string, Setting>[],
  earlier: EarlierRun | undefined,
): [named: Setting | undefined, ofRun: Setting | undefined] {
  const named = layers.flatMap((layer) => layer.get("target") ?? [])[0];
  const before = earlier?.target;
  if (before === undefined || named?.origin === "command line" || named?.value === before) {
    return [named, undefined];
  }
  const place = `the run of ${earlier?.results}`;
  return [named, { value: before, origin: "earlier run", place }];
}

function settingsOfTarget(
  { value, origin, place }: Setting,
  { file, isThere, targets }: Configuration,
): ReadonlyMap<string, Setting> {
  const target = targets.get(value);
  if (target === undefined) {
    const why = isThere
      ? `${file} ${whyNoTarget(value, [...targets.keys()])}`
      : `there is no ${file} in this folder to have a target "${value}"; name the file with --config, write one, or give --base-url`;
    throw cannotStart("option_invalid", place, why);
  }
  const namedAt = origin === "target" ? "configuration" : origin;
  return new Map([...target].map(([option, setting]) => [option, { ...setting, namedAt }]));
}

/**
 * What keeps the token of a target from going where the run before went by its name: nothing where it
 * is still that address.
 */
function whyNotWhereItWent(
  { results, target = "", baseUrl, mayGoElsewhere }: EarlierRun,
  { file, isThere, settings, targets }: Configuration,
): [results: string, baseUrl: string, target: string, why: string, fix: string] | undefined {
  const addressOf = (own: ReadonlyMap<string, Setting> | undefined) =>
    (own?.get("base-url") ?? settings.get("base-url"))?.value;
  const now = targets.get(target);
  const address = addressOf(now);
  if (now !== undefined && (address === undefined || isSameService(address, baseUrl))) {
    return undefined;
  }
  const shown = (url = "") => withoutSecrets(url);
  const [other] = [...targets].flatMap(([name, own]) => {
    const itsAddress = addressOf(own);
    return itsAddress !== undefined && isSameService(itsAddress, baseUrl) ? [name] : [];
  });
  const byName = other === undefined ? "" : `type --target ${other}, which has that address, or `;
  const elsewhere =
    mayGoElsewhere && now !== undefined
      ? `; or type --target ${target} to send to ${shown(address)}`
      : "";
  const gone = isThere ? `${file} has no such target now` : `there is no ${file} in this folder`;
  const why = now === undefined ? gone : `that is ${shown(address)} now`;
  return [results, baseUrl, target, why, `${byName}give its token with --token-file${elsewhere}`];
}

/** Environment variables of ours that are no options. */
const otherVariables = ["EVENTLOAD_TOKEN"];

const prefix = "EVENTLOAD_";

/** Only what follows the prefix tells one from another. */
function hintFor(name: string, variables: readonly string[]): string {
  const own = [...otherVariables, ...variables].map((one) => one.slice(prefix.length));
  const meant = suggest(name.slice(prefix.length), own);
  return meant === undefined
    ? "the help of each command names those there are"
    : `did you mean ${prefix}${meant}?`;
}

/** What the environment says (`EVENTLOAD_BASE_URL`), by the names of the options. */
function readEnvironment(
  env: Host["env"],
  options: readonly string[],
): { readonly settings: ReadonlyMap<string, Setting>; readonly warnings: readonly string[] } {
  const settings = new Map<string, Setting>();
  const warnings: string[] = [];
  const variables = options.map(toVariable);
  for (const [name, value = ""] of Object.entries(env)) {
    // A blank variable is how many a script says that there is none.
    if (!name.startsWith(prefix) || value.trim() === "") continue;
    const option = options[variables.indexOf(name)];
    if (option !== undefined) {
      settings.set(option, { value, origin: "environment", place: name });
    } else if (!otherVariables.includes(name)) {
      warnings.push(
        `${name} is no setting of eventload, and does nothing; ${hintFor(name, variables)}`,
      );
    }
  }
  return { settings, warnings };
}
