import { join } from "node:path";
import { cannotStart } from "../domain/errors.ts";
import { didYouMean } from "./did-you-mean.ts";
import type { Host } from "./host.ts";
import type { Option } from "./option.ts";
import { type Configuration, readConfiguration } from "./read-configuration.ts";
import { readEnvironment } from "./read-environment.ts";
import type { Setting } from "./setting.ts";

/** Settings from outside of the command line. */
export interface Settings {
  /** By the names of the options; each setting says what it weighs against another. */
  readonly layers: readonly ReadonlyMap<string, Setting>[];
  /** What looks like a slip. */
  readonly warnings: readonly string[];
}

const configName = "eventload.yaml";

/** The configuration file in use, whether or not it is there. */
export function configPath(given: string | undefined, cwd: string): string {
  return given ?? join(cwd, configName);
}

/**
 * Collects what the environment (`EVENTLOAD_BASE_URL`) and `eventload.yaml` (`base_url`) say, and of
 * the targets in that file the one that is named.
 *
 * @param known the options of all commands
 * @param given what stands on the command line
 * @param hasTarget whether the command sends to somewhere, so that a target means something
 * @throws CannotStartError where the configuration file cannot be used, or has no such target
 */
export async function readSettings(
  { env, cwd }: Pick<Host, "env" | "cwd">,
  known: Readonly<Record<string, Pick<Option, "takesList">>>,
  given: ReadonlyMap<string, Setting>,
  hasTarget: boolean,
): Promise<Settings> {
  const { settings: environment, warnings } = readEnvironment(env, Object.keys(known));
  const chosen = (given.get("config") ?? environment.get("config"))?.value;
  const path = configPath(chosen, cwd);
  const configuration = await readConfiguration(path, chosen !== undefined, known);
  const layers = [environment, configuration.settings];
  const named = [given, ...layers].flatMap((layer) => layer.get("target") ?? [])[0];
  if (hasTarget && named !== undefined) layers.push(settingsOfTarget(named, path, configuration));
  return { layers, warnings };
}

function settingsOfTarget(
  { value, origin, place }: Setting,
  path: string,
  { targets }: Configuration,
): ReadonlyMap<string, Setting> {
  const target = targets.get(value);
  if (target === undefined) {
    const names = [...targets.keys()];
    const there = names.length === 0 ? "; it has none" : `; it has ${names.join(", ")}`;
    const hint = didYouMean(value, names) || there;
    const why = `${path} has no target "${value}"${hint.replace(/\?$/, "")}`;
    throw cannotStart("option_invalid", place, why);
  }
  const namedAt = origin === "target" ? "configuration" : origin;
  return new Map([...target].map(([option, setting]) => [option, { ...setting, namedAt }]));
}
