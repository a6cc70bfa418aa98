import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { distance } from "fastest-levenshtein";
import { parse } from "yaml";
import { cannotStart, reasonOf } from "../domain/errors.ts";
import type { Host } from "./host.ts";

/** Settings from outside of the command line, by the names of the options. */
export interface Settings {
  readonly values: Readonly<Record<string, unknown>>;
  /** What looks like a slip. */
  readonly warnings: readonly string[];
}

/** Environment variables of ours that are no options. */
const otherVariables = ["EVENTLOAD_TOKEN"];

const configName = "eventload.yaml";

/**
 * Collects what the environment (`EVENTLOAD_BASE_URL`) and `eventload.yaml` (`base_url`) say; the
 * environment counts more.
 *
 * @param options names of the options of all commands
 * @param wanted names of the options of the command at hand; others are left out
 * @param configPath what `--config` says
 * @throws CannotStartError where the configuration file cannot be used
 */
export async function readSettings(
  { env, cwd }: Pick<Host, "env" | "cwd">,
  options: readonly string[],
  wanted: readonly string[],
  configPath: string | undefined,
): Promise<Settings> {
  const path = configPath ?? env.EVENTLOAD_CONFIG ?? join(cwd, configName);
  const mustExist = path !== join(cwd, configName);
  const values: Record<string, unknown> = {};
  const warnings: string[] = [];

  const config = await readConfig(path, mustExist);
  for (const [key, value] of Object.entries(config)) {
    const option = key.replaceAll("_", "-");
    if (!options.includes(option)) {
      const why = `unknown key ${key}${hint(key, options.map(toKey))}`;
      throw cannotStart("config_invalid", basename(path), why);
    }
    if (wanted.includes(option)) values[option] = value;
  }

  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith("EVENTLOAD_") || value === undefined) continue;
    const option = name.slice("EVENTLOAD_".length).toLowerCase().replaceAll("_", "-");
    if (wanted.includes(option)) values[option] = value === "true" ? true : value;
    else if (!options.includes(option) && !otherVariables.includes(name)) {
      warnings.push(`${name} is no setting of eventload${hint(name, options.map(toVariable))}`);
    }
  }
  return { values, warnings };
}

async function readConfig(path: string, mustExist: boolean): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (!mustExist && (error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw cannotStart("config_invalid", path, `it cannot be read: ${reasonOf(error)}`);
  }
  let content: unknown;
  try {
    content = parse(text) ?? {};
  } catch (error) {
    throw cannotStart("config_invalid", basename(path), `not valid YAML: ${reasonOf(error)}`);
  }
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw cannotStart("config_invalid", basename(path), "it has to hold keys and values");
  }
  return content as Record<string, unknown>;
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
