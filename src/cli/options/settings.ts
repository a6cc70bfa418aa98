import { isSameService } from "../../model/endpoint.ts";
import { cannotStart } from "../../model/errors.ts";
import type { Host } from "../host.ts";
import type { EarlierRun, GivenValue, SettingsLayer } from "./arguments.ts";
import { type Configuration, type KnownOptions, readConfiguration } from "./configuration.ts";
import { whyNoTarget } from "./option-types.ts";

/**
 * Collects what the command line, the environment and `eventload.yaml` say. A target that is typed, or is
 * that of the earlier run, counts more than the environment, as its address and its token belong together.
 *
 * @param known the options of all commands
 * @param typed what stands on the command line
 * @param hasTarget whether the command sends to a service, so that a target means something
 * @param earlier the run that the command continues or retries: its target counts if none is typed
 * @returns by the names of the options, from the layer that counts most; and warnings of what looks like a slip
 * @throws CannotStartError if the configuration file cannot be used, or has no such target
 */
export async function readSettings(
  { env, cwd }: Pick<Host, "env" | "cwd">,
  known: KnownOptions,
  typed: SettingsLayer,
  hasTarget: boolean,
  earlier?: EarlierRun,
): Promise<{ readonly layers: readonly SettingsLayer[]; readonly warnings: readonly string[] }> {
  const { environment, warnings } = readEnvironment(env);
  const chosen = (typed.get("config") ?? environment.get("config"))?.value;
  const configuration = await readConfiguration(chosen, cwd, known);
  const outside = [environment, configuration.settings];
  const named = [typed, ...outside].find((layer) => layer.has("target"))?.get("target");
  if (!hasTarget) return { layers: [typed, ...outside], warnings };

  const isTyped = named?.origin === "command line";
  const ofRun = isTyped ? undefined : earlier?.target;
  if (ofRun !== undefined && earlier !== undefined) {
    const { results, baseUrl } = earlier;
    const name: GivenValue = {
      value: ofRun,
      origin: "earlier run",
      place: `the run of ${results}`,
    };
    const now = configuration.targets.get(ofRun);
    const address = (now?.get("base-url") ?? configuration.settings.get("base-url"))?.value;
    const isAsBefore =
      now !== undefined && (address === undefined || isSameService(address, baseUrl));
    if (!isAsBefore && !typed.has("token-file") && !typed.has("token-command")) {
      throw cannotStart("target_differs", results, baseUrl, ofRun, configuration.file);
    }
    const target = isAsBefore ? layerOfTarget(name, configuration, false) : new Map();
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
  { value, place }: GivenValue,
  { file, targets }: Configuration,
  isChosenHere: boolean,
): SettingsLayer {
  const target = targets.get(value);
  if (target === undefined) {
    const why = whyNoTarget(value, [...targets.keys()]);
    throw cannotStart("option_invalid", place, `${file} ${why}`);
  }
  return new Map([...target].map(([name, setting]) => [name, { ...setting, isChosenHere }]));
}

/** The environment variables of eventload, and the options of which they say the same. */
const variables = {
  EVENTLOAD_TOKEN: "token",
  EVENTLOAD_BASE_URL: "base-url",
  EVENTLOAD_CONFIG: "config",
  EVENTLOAD_TARGET: "target",
} as const;

function readEnvironment(env: Host["env"]): {
  readonly environment: SettingsLayer;
  readonly warnings: readonly string[];
} {
  const environment = new Map<string, GivenValue>();
  const warnings: string[] = [];
  for (const [name, value = ""] of Object.entries(env)) {
    // A blank variable is how many a script says that there is none.
    const isOurs = name.startsWith("EVENTLOAD_") && value.trim() !== "";
    if (!isOurs) continue;
    const option = Object.hasOwn(variables, name) && variables[name as keyof typeof variables];
    if (option) environment.set(option, { value, origin: "environment", place: name });
    else {
      const known = Object.keys(variables).join(", ");
      warnings.push(`eventload does not read ${name}, but only ${known}`);
    }
  }
  return { environment, warnings };
}
