import { basename } from "node:path";
import { cannotStart } from "../domain/errors.ts";
import { type ConfigEntry, type ConfigValue, readConfigFile } from "./config-file.ts";
import { didYouMean } from "./did-you-mean.ts";
import { type Option, toKey } from "./option.ts";
import type { Setting } from "./setting.ts";

/** What a configuration file says, by the names of the options. */
export interface Configuration {
  readonly settings: ReadonlyMap<string, Setting>;
  /** The services that are named under `targets`, and what is said of each. */
  readonly targets: ReadonlyMap<string, ReadonlyMap<string, Setting>>;
}

type KnownOptions = Readonly<Record<string, Pick<Option, "takesList">>>;

/** Keys that have a meaning at the top of the file alone. */
const topKeys = ["target", "targets"];

/**
 * Reads a configuration file.
 *
 * @param known the options of all commands
 * @throws CannotStartError where it cannot be used, naming the key
 */
export async function readConfiguration(
  path: string,
  mustExist: boolean,
  known: KnownOptions,
): Promise<Configuration> {
  const entries = await readConfigFile(path, mustExist);
  const file = basename(path);
  const isTargets = ([key]: ConfigEntry) => key === "targets";
  const targets = entries.filter(isTargets);
  if (targets.length > 1) throw invalid(file, "targets is there twice; give it once.");
  return {
    settings: settingsOf(
      entries.filter((entry) => !isTargets(entry)),
      { file, known, within: "", origin: "configuration" },
    ),
    targets: new Map(
      targets
        .flatMap(([, value]) => mapIn(value, file, "targets", "the names of targets"))
        .map(([name, value]) => {
          const within = `targets.${name}`;
          const own = mapIn(value, file, within, "keys and values, such as base_url");
          const settings = settingsOf(own, {
            ...{ file, known, origin: "target" as const },
            within: `${within}.`,
          });
          return [name, settings];
        }),
    ),
  };
}

interface Place {
  readonly file: string;
  readonly known: KnownOptions;
  /** What stands before a key where it is named. */
  readonly within: string;
  readonly origin: "configuration" | "target";
}

function settingsOf(
  entries: readonly ConfigEntry[],
  { file, known, within, origin }: Place,
): ReadonlyMap<string, Setting> {
  const keys = Object.keys(known)
    .map(toKey)
    .filter((key) => key !== "config" && (within === "" || !topKeys.includes(key)));
  const settings = new Map<string, Setting>();
  for (const [key, value] of entries) {
    const called = toKey(key);
    const option = called.replaceAll("_", "-");
    if (!keys.includes(called)) throw invalid(file, whyUnknown(key, within, keys));
    if (settings.has(option)) {
      throw invalid(file, `${within}${called} is there twice; give it once.`);
    }
    settings.set(option, {
      ...textOf(`${within}${key}`, value, file, known[option]?.takesList ?? false),
      origin,
      place: `${file}: ${within}${key}`,
    });
  }
  return settings;
}

function whyUnknown(key: string, within: string, known: readonly string[]): string {
  if (key === "token") {
    return "the token does not belong in it; give token_file or token_command, or set EVENTLOAD_TOKEN.";
  }
  if (key === "config") return "config cannot stand in a configuration file; give --config.";
  if (topKeys.includes(key)) return `${within}${key}: a target cannot hold ${key}.`;
  const mayBe = within === "" ? [...known, "targets"] : known;
  return `unknown key ${within}${key}${didYouMean(key, mayBe)}`;
}

function textOf(
  key: string,
  value: ConfigValue,
  file: string,
  takesList: boolean,
): Pick<Setting, "value" | "list"> {
  switch (value.kind) {
    case "text":
      return { value: value.text };
    case "blank":
      throw invalid(file, `${key} is blank; give it a value, or leave it out.`);
    case "list":
    case "map":
    case "nested": {
      if (value.kind === "list" && takesList) {
        return { value: value.items.join(","), list: value.items };
      }
      const what = takesList ? "a text, or a list of texts" : "one value, not a list or an object";
      throw invalid(file, `${key} takes ${what}.`);
    }
  }
}

function mapIn(
  value: ConfigValue,
  file: string,
  key: string,
  what: string,
): readonly ConfigEntry[] {
  if (value.kind === "map") return value.entries;
  throw invalid(file, `${key} has to hold ${what}.`);
}

function invalid(file: string, why: string): Error {
  return cannotStart("config_invalid", file, why);
}
