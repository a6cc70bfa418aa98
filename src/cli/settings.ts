import { basename, join } from "node:path";
import { distance } from "fastest-levenshtein";
import { cannotStart } from "../domain/errors.ts";
import type { Setting } from "./arguments.ts";
import { type ConfigValue, readConfigFile } from "./config-file.ts";
import type { Host } from "./host.ts";
import type { Option } from "./option.ts";

/** Settings from outside of the command line, by the names of the options. */
export interface Settings {
  readonly environment: ReadonlyMap<string, Setting>;
  readonly configuration: ReadonlyMap<string, Setting>;
  /** What looks like a slip. */
  readonly warnings: readonly string[];
}

/** Environment variables of ours that are no options. */
const otherVariables = ["EVENTLOAD_TOKEN"];

const configName = "eventload.yaml";

/** The configuration file in use, whether or not it is there. */
export function configPath(given: string | undefined, cwd: string): string {
  return given ?? join(cwd, configName);
}

/**
 * Collects what the environment (`EVENTLOAD_BASE_URL`) and `eventload.yaml` (`base_url`) say.
 *
 * @param known the options of all commands
 * @param config what `--config` says
 * @throws CannotStartError where the configuration file cannot be used
 */
export async function readSettings(
  { env, cwd }: Pick<Host, "env" | "cwd">,
  known: Readonly<Record<string, Pick<Option, "takesList">>>,
  config: string | undefined,
): Promise<Settings> {
  const options = Object.keys(known);
  const { settings: environment, warnings } = readEnvironment(env, options);
  const chosen = config ?? environment.get("config")?.value;
  const path = configPath(chosen, cwd);
  const name = basename(path);
  const keys = options.filter((option) => option !== "config");

  const configuration = new Map<string, Setting>();
  for (const [key, value] of await readConfigFile(path, chosen !== undefined)) {
    const option = key.replaceAll("_", "-");
    if (!keys.includes(option)) throw cannotStart("config_invalid", name, whyUnknown(key, keys));
    if (configuration.has(option)) {
      throw cannotStart("config_invalid", name, `${toKey(option)} is there twice; give it once.`);
    }
    configuration.set(option, {
      ...settingOf(key, value, name, known[option]?.takesList ?? false),
      origin: "configuration",
      place: `${name}: ${key}`,
    });
  }
  return { environment, configuration, warnings };
}

function readEnvironment(env: Host["env"], options: readonly string[]) {
  const settings = new Map<string, Setting>();
  const warnings: string[] = [];
  for (const [name, value = ""] of Object.entries(env)) {
    // A blank variable is how many a script says that there is none.
    if (!name.startsWith("EVENTLOAD_") || value.trim() === "") continue;
    const option = name.slice("EVENTLOAD_".length).toLowerCase().replaceAll("_", "-");
    if (options.includes(option)) {
      settings.set(option, { value, origin: "environment", place: name });
    } else if (!otherVariables.includes(name)) {
      warnings.push(`${name} is no setting of eventload${hint(name, options.map(toVariable))}`);
    }
  }
  return { settings, warnings };
}

function whyUnknown(key: string, known: readonly string[]): string {
  if (key === "token") {
    return "the token does not belong in it; give token_file or token_command, or set EVENTLOAD_TOKEN.";
  }
  if (key === "config") return "config cannot stand in a configuration file; give --config.";
  return `unknown key ${key}${hint(key, known.map(toKey))}`;
}

function settingOf(
  key: string,
  value: ConfigValue,
  file: string,
  takesList: boolean,
): Pick<Setting, "value" | "list"> {
  switch (value.kind) {
    case "text":
      return { value: value.text };
    case "blank":
      throw cannotStart(
        "config_invalid",
        file,
        `${key} is blank; give it a value, or leave it out.`,
      );
    case "list":
    case "nested": {
      if (value.kind === "list" && takesList) {
        return { value: value.items.join(","), list: value.items };
      }
      const what = takesList ? "a text, or a list of texts" : "one value, not a list or an object";
      throw cannotStart("config_invalid", file, `${key} takes ${what}.`);
    }
  }
}

function hint(given: string, known: readonly string[]): string {
  const [nearest] = known.toSorted((a, b) => distance(given, a) - distance(given, b));
  if (nearest === undefined || distance(given, nearest) > given.length / 3) return "";
  return `; did you mean ${nearest}?`;
}

function toKey(option: string): string {
  return option.replaceAll("-", "_");
}

function toVariable(option: string): string {
  return `EVENTLOAD_${toKey(option).toUpperCase()}`;
}
