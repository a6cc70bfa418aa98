import { withoutSecrets } from "../../model/endpoint.ts";
import { cannotStart } from "../../model/errors.ts";
import { suggest } from "../../model/suggest.ts";
import type { Host } from "../host.ts";
import type { EarlierRun, Layer, Setting } from "./arguments.ts";
import { type Configuration, type KnownOptions, readConfiguration } from "./configuration.ts";
import { isSameService } from "./earlier-run.ts";
import { whyNoTarget } from "./option-types.ts";

/** What was given for a command, wherever it stands. */
export interface Settings {
  /** By the names of the options, from the layer that counts most. */
  readonly layers: readonly Layer[];
  /** What looks like a slip. */
  readonly warnings: readonly string[];
}

/**
 * Collects what the command line, the environment and `eventload.yaml` say. A target that is typed, or is
 * that of the earlier run, counts more than the environment, as its address and its token belong together.
 *
 * @param known the options of all commands
 * @param typed what stands on the command line
 * @param hasTarget whether the command sends to a service, so that a target means something
 * @param earlier the run that the command continues or retries: its target counts if none is typed
 * @throws CannotStartError if the configuration file cannot be used, or has no such target
 */
export async function readSettings(
  { env, cwd }: Pick<Host, "env" | "cwd">,
  known: KnownOptions,
  typed: Layer,
  hasTarget: boolean,
  earlier?: EarlierRun,
): Promise<Settings> {
  const { environment, warnings } = readEnvironment(env);
  const chosen = (typed.get("config") ?? environment.get("config"))?.value;
  const configuration = await readConfiguration(chosen, cwd, known);
  const outside = [environment, configuration.settings];
  const named = [typed, ...outside].find((layer) => layer.has("target"))?.get("target");
  if (!hasTarget) return { layers: [typed, ...outside], warnings };

  const isTyped = named?.origin === "command line";
  const ofRun = isTyped ? undefined : earlier?.target;
  if (ofRun !== undefined && earlier !== undefined) {
    const why = whyNotWhereItWent(earlier, ofRun, configuration);
    const hasToken = typed.has("token-file") || typed.has("token-command");
    if (why !== undefined && !hasToken) {
      throw cannotStart("target_differs", earlier.results, earlier.baseUrl, ofRun, ...why);
    }
    const place = `the run of ${earlier.results}`;
    const name: Setting = { value: ofRun, origin: "earlier run", place };
    const target = why === undefined ? layerOfTarget(name, configuration, false) : new Map();
    return { layers: [typed, new Map([["target", name]]), target, ...outside], warnings };
  }
  if (named === undefined) return { layers: [typed, ...outside], warnings };
  const target = layerOfTarget(named, configuration, isTyped);
  const layers = isTyped
    ? [typed, target, ...outside]
    : [typed, environment, target, configuration.settings];
  return { layers, warnings };
}

function layerOfTarget(
  { value, place }: Setting,
  { file, isThere, targets }: Configuration,
  isChosenHere: boolean,
): Layer {
  const target = targets.get(value);
  if (target === undefined) {
    const why = isThere
      ? `${file} ${whyNoTarget(value, [...targets.keys()])}`
      : `there is no ${file} in this folder to have a target "${value}"; name the file with --config, write one, or give --base-url`;
    throw cannotStart("option_invalid", place, why);
  }
  return new Map([...target].map(([name, setting]) => [name, { ...setting, isChosenHere }]));
}

/**
 * What keeps the token of a target from going where the earlier run went by its name; undefined while that
 * target still has this address.
 */
function whyNotWhereItWent(
  { baseUrl, mayGoElsewhere }: EarlierRun,
  target: string,
  { file, isThere, settings, targets }: Configuration,
): readonly [why: string, fix: string] | undefined {
  const now = targets.get(target);
  const address = (now?.get("base-url") ?? settings.get("base-url"))?.value;
  const fix = "give its token with --token-file, or type the --target that has that address";
  if (now === undefined) {
    const gone = isThere ? `${file} has no such target now` : `there is no ${file} in this folder`;
    return [gone, fix];
  }
  if (address === undefined || isSameService(address, baseUrl)) return undefined;
  const shown = withoutSecrets(address);
  const elsewhere = mayGoElsewhere ? `; or type --target ${target} to send to ${shown}` : "";
  return [`that is ${shown} now`, `${fix}${elsewhere}`];
}

/** The environment variables of eventload, and the options of which they say the same. */
const variables = {
  EVENTLOAD_TOKEN: "token",
  EVENTLOAD_BASE_URL: "base-url",
  EVENTLOAD_CONFIG: "config",
  EVENTLOAD_TARGET: "target",
} as const;

const prefix = "EVENTLOAD_";
/** Read by `--shard env`. */
const otherVariables = ["EVENTLOAD_SHARDS"];

function readEnvironment(env: Host["env"]): {
  readonly environment: Layer;
  readonly warnings: readonly string[];
} {
  const environment = new Map<string, Setting>();
  const warnings: string[] = [];
  for (const [name, value = ""] of Object.entries(env)) {
    // A blank variable is how many a script says that there is none.
    if (!name.startsWith(prefix) || value.trim() === "" || otherVariables.includes(name)) continue;
    const option = Object.entries(variables).find(([variable]) => variable === name)?.[1];
    if (option === undefined) {
      // Only what follows the prefix tells one from another.
      const known = Object.keys(variables).map((one) => one.slice(prefix.length));
      const meant = suggest(name.slice(prefix.length), known);
      const fix = "give the option, or write it into eventload.yaml";
      const hint = meant === undefined ? fix : `did you mean ${prefix}${meant}?`;
      warnings.push(`eventload does not read ${name}; ${hint}`);
    } else environment.set(option, { value, origin: "environment", place: name });
  }
  return { environment, warnings };
}
