import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { parseBaseUrl } from "../../model/endpoint.ts";
import { CannotStartError, cannotStart, reasonOf } from "../../model/errors.ts";
import { describeMappingProblem } from "../../model/mapping-problem.ts";
import { whyNoName, whyNotFilled } from "../../model/results-name.ts";
import { suggest } from "../../model/suggest.ts";
import { refuseWritable } from "../../run/refuse-writable.ts";
import { isUsableHeaderName } from "../../run/validate-options.ts";
import type { Setting } from "./arguments.ts";
import { didYouMean, type Option, toKey } from "./option-types.ts";
import type { ConfigEntry, ConfigProblem, ConfigText, ConfigValue } from "./parse-config.ts";

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

/**
 * Reads a configuration file.
 *
 * @returns nothing where there is no such file and none has to be
 * @throws CannotStartError where it cannot be read, or others can write it
 */
async function readConfigFile(path: string, mustExist: boolean): Promise<ConfigText | undefined> {
  await refuseWritable("The configuration file", path);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (!mustExist && (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cannotStart("config_invalid", path, `it cannot be read: ${reasonOf(error)}.`);
  }
  // Most have none, and need no parser.
  const { parseConfig } = await import("./parse-config.ts");
  return parseConfig(text);
}

/** What is wrong where a configuration file chooses one of its targets that it does not have. */
function findMissingTarget(entries: readonly ConfigEntry[]): ConfigProblem | undefined {
  const chosen = entries.find(({ key }) => key === "target");
  if (chosen?.value.kind !== "text") return undefined;
  const names: string[] = [];
  for (const { key, value } of entries) {
    if (key !== "targets") continue;
    // Which names these would be is not known.
    if (value.kind !== "map") return undefined;
    names.push(...value.entries.map((target) => target.key));
  }
  const { text } = chosen.value;
  if (names.includes(text)) return undefined;
  const message = `target: this file ${whyNoTarget(text, names)}`;
  return { ...chosen.valueAt, path: "", message };
}

/**
 * What is wrong with the value of an option that only those commands look at which need it: a
 * configuration file is for all of them, and told of everything at once.
 *
 * @returns how the sentence goes on after the name of the option
 */
function findFault(option: string, value: string): string | undefined {
  const why = finders[option]?.(value);
  return why === undefined ? undefined : `: ${why}`;
}

const finders: Readonly<Record<string, (value: string) => string | undefined>> = {
  "base-url": whyNoBaseUrl,
  "idempotency-header": whyNoHeader,
  // Whether there is a target may be said elsewhere.
  results: (name) => whyNoName(name, true),
  report: (name) => whyNotFilled(name, true),
  "log-file": (name) => whyNotFilled(name, true),
};

/** Whether plain http is allowed may be said elsewhere as well. */
function whyNoBaseUrl(url: string): string | undefined {
  try {
    parseBaseUrl(url, true);
    return undefined;
  } catch (error) {
    if (error instanceof CannotStartError) return error.message.replace(/\.$/, "");
    throw error;
  }
}

/** What keeps a name from being that of the header for event ids. */
export function whyNoHeader(name: string): string | undefined {
  if (isUsableHeaderName(name)) return undefined;
  return `"${name}" cannot be used; give a name such as Idempotency-Key`;
}

/** How a sentence about a configuration file goes on that lacks a target. */
export function whyNoTarget(target: string, names: readonly string[]): string {
  const there =
    names.length === 0
      ? "; it has none: write it there under targets, or give --base-url"
      : `; it has ${names.join(", ")}`;
  const hint = (didYouMean(target, names) || there).replace(/\?$/, "");
  return `has no target "${target}"${hint}`;
}
