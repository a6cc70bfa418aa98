import { dirname, isAbsolute, join } from "node:path";
import { CannotStartError } from "../model/errors.ts";
import { describeMappingProblem } from "../model/mapping-problem.ts";
import { suggest } from "../model/suggest.ts";
import { readConfigFile } from "./config-file.ts";
import type { ConfigEntry, ConfigProblem, ConfigValue } from "./config-text.ts";
import { findFault } from "./find-fault.ts";
import { findMissingTarget } from "./find-missing-target.ts";
import { type Option, toKey } from "./option.ts";
import type { Setting } from "./setting.ts";

/** What a configuration file says, by the names of the options. */
export interface Configuration {
  /** Its name, as a message has it. */
  readonly file: string;
  readonly isThere: boolean;
  readonly settings: ReadonlyMap<string, Setting>;
  /** The services that are named under `targets`, and what is said of each. */
  readonly targets: ReadonlyMap<string, ReadonlyMap<string, Setting>>;
}

/** Where a configuration file is, and what it is called. */
export interface ConfigurationFile {
  readonly path: string;
  /** As it was typed. */
  readonly name: string;
  readonly mustExist: boolean;
}

export type KnownOptions = Readonly<
  Record<string, Pick<Option, "takesList" | "takesProgram" | "isPath" | "read">>
>;

/** Keys that have a meaning at the top of the file alone. */
const topKeys = ["target", "targets"];

/**
 * Reads a configuration file: all of it, also the values and targets that this command does not need.
 *
 * @param known the options of all commands
 * @throws CannotStartError where it cannot be used, with every problem and its line
 */
export async function readConfiguration(
  { path, name: file, mustExist }: ConfigurationFile,
  known: KnownOptions,
): Promise<Configuration> {
  const text = await readConfigFile(path, mustExist);
  if (text === undefined) {
    return { file, isThere: false, settings: new Map(), targets: new Map() };
  }
  const problems = [...text.problems];
  const tell = (problem: ConfigProblem) => problems.push(problem);
  const place = { file, folder: dirname(file), known, tell };
  const isTargets = ({ key }: ConfigEntry) => key === "targets";
  const settings = settingsOf(
    text.entries.filter((entry) => !isTargets(entry)),
    { ...place, within: "", origin: "configuration" },
  );
  const targets = text.entries
    .filter(isTargets)
    .flatMap((entry) => keysIn(entry, "", "the names of targets", tell))
    .map((entry): [string, ReadonlyMap<string, Setting>] => {
      const own = keysIn(entry, "targets.", "keys and values, such as base_url", tell);
      const within = `targets.${entry.key}.`;
      return [entry.key, settingsOf(own, { ...place, within, origin: "target" })];
    });
  const missing = findMissingTarget(text.entries);
  if (missing !== undefined) tell(missing);
  if (problems.length > 0) throw invalid(file, problems);
  return { file, isThere: true, settings, targets: new Map(targets) };
}

interface Place {
  readonly file: string;
  /** That paths in it go by. */
  readonly folder: string;
  readonly known: KnownOptions;
  /** What stands before a key where it is named. */
  readonly within: string;
  readonly origin: "configuration" | "target";
  tell(problem: ConfigProblem): void;
}

function settingsOf(entries: readonly ConfigEntry[], place: Place): ReadonlyMap<string, Setting> {
  const { file, folder, known, within, origin, tell } = place;
  const keys = Object.keys(known)
    .map(toKey)
    .filter((key) => key !== "config" && (within === "" || !topKeys.includes(key)));
  const settings = new Map<string, Setting>();
  for (const { key, keyAt, value, valueAt } of entries) {
    const path = `${within}${key}`;
    const called = toKey(key);
    const name = called.replaceAll("_", "-");
    const option = known[name];
    if (option === undefined || !keys.includes(called)) {
      tell({ ...keyAt, path, message: whyUnknown(key, value, within, keys) });
      continue;
    }
    const before = entries.find((other) => toKey(other.key) === called)?.key ?? key;
    // The same word twice is no YAML, and told already.
    if (before !== key) tell({ ...keyAt, path, message: `is there already, as ${before}` });
    if (settings.has(name)) continue;
    const read = textOf(value, option.takesList ?? false);
    if (read.kind === "wrong") {
      tell({ ...valueAt, path, message: read.why });
      continue;
    }
    const checked = option.read(read.value);
    const why = checked.kind === "wrong" ? checked.why : findFault(name, read.value);
    if (why !== undefined) tell({ ...valueAt, path: "", message: `${path}${why}` });
    const inFolder = (text: string) => (option.isPath ? fromFolder(folder, text) : text);
    const list = read.list?.map(inFolder);
    settings.set(name, {
      value: list?.join(",") ?? inFolder(read.value),
      ...(list === undefined ? {} : { list }),
      ...(option.takesProgram && folder !== "." ? { folder } : {}),
      origin,
      place: `${file}: ${path}`,
    });
  }
  return settings;
}

/** A path as the program can use it; `-` is no file. */
function fromFolder(folder: string, path: string): string {
  return folder === "." || path === "-" || isAbsolute(path) ? path : join(folder, path);
}

function whyUnknown(
  key: string,
  value: ConfigValue,
  within: string,
  known: readonly string[],
): string {
  if (key === "token") {
    return "the token does not belong in it; give token_file or token_command, or set EVENTLOAD_TOKEN";
  }
  if (key === "<<") return "keys are not merged (<<) here; write out what is meant";
  if (key === "config") return "cannot stand in a configuration file; give --config";
  if (topKeys.includes(key))
    return `a target cannot hold ${key}; it belongs at the top of the file`;
  const meant = suggest(key, within === "" ? [...known, "targets"] : known);
  if (meant !== undefined) return `unknown key; did you mean ${meant}?`;
  return within === "" && value.kind === "map"
    ? "unknown key; a target belongs under targets:, and anything else can be removed"
    : "unknown key; remove it";
}

type TextOf =
  | { readonly kind: "text"; readonly value: string; readonly list?: readonly string[] }
  | { readonly kind: "wrong"; readonly why: string };

function textOf(value: ConfigValue, takesList: boolean): TextOf {
  switch (value.kind) {
    case "text":
      return { kind: "text", value: value.text };
    case "blank":
      return { kind: "wrong", why: "is blank; give it a value, or leave it out" };
    case "list":
    case "map":
    case "nested": {
      if (value.kind === "list" && takesList) {
        return { kind: "text", value: value.items.join(","), list: value.items };
      }
      const what = takesList ? "a text, or a list of texts" : "one value, not a list or an object";
      return { kind: "wrong", why: `takes ${what}` };
    }
  }
}

function keysIn(
  { key, value, valueAt }: ConfigEntry,
  within: string,
  what: string,
  tell: Place["tell"],
): readonly ConfigEntry[] {
  if (value.kind === "map") return value.entries;
  tell({ ...valueAt, path: `${within}${key}`, message: `has to hold ${what}` });
  return [];
}

function invalid(file: string, found: readonly ConfigProblem[]): CannotStartError {
  const problems = found
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
    .map((problem) => describeMappingProblem(file, problem));
  const [only = ""] = problems;
  return problems.length === 1
    ? new CannotStartError("config_invalid", only)
    : new CannotStartError("config_invalid", `${file} has ${problems.length} problems.`, problems);
}
