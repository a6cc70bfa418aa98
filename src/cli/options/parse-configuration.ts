import { dirname, isAbsolute, join } from "node:path";
import { parseBaseUrl } from "../../model/endpoint.ts";
import { CannotStartError } from "../../model/errors.ts";
import { describeFileProblem, type FileProblem, inFileOrder } from "../../model/file-problem.ts";
import { describeUnknownKey, suggest } from "../../model/suggest.ts";
import {
  isRecord,
  readYaml,
  restoreText,
  visitScalars,
  type YamlFileKind,
} from "../../model/yaml-document.ts";
import { whyNoName, whyNoState, whyNotFilled } from "../../run/options/results-name.ts";
import type { Layer, Setting } from "./arguments.ts";
import { type Option, toKey, whyNoTarget } from "./option-types.ts";

/** The content of a configuration file, by the names of the options. */
export interface Configuration {
  /** Its name, as a message has it. */
  readonly file: string;
  readonly isThere: boolean;
  readonly settings: Layer;
  /** The settings of each target under `targets`. */
  readonly targets: ReadonlyMap<string, Layer>;
}

type KnownOption = Pick<Option, "takesList" | "takesProgram" | "isPath" | "read">;

export type KnownOptions = Readonly<Record<string, KnownOption>>;

const configurationKind: YamlFileKind = {
  longListFix: "shorten it",
  hasSecrets: true,
  prepare(root) {
    visitScalars(root, (scalar) => {
      if (scalar.value !== null) restoreText(scalar);
    });
    return [];
  },
};

/**
 * Reads and checks all of a configuration file, also the values and targets that this command does not
 * need.
 *
 * @param file its name, as a message has it
 * @param known the options of all commands
 * @throws CannotStartError with every problem and its line
 */
export function parseConfiguration(text: string, file: string, known: KnownOptions): Configuration {
  const yaml = readYaml(text, configurationKind);
  if (yaml.kind === "invalid") throw invalid(file, yaml.problems);
  const { content, problemOf } = yaml.document;
  const problems = [...yaml.document.problems];
  const report: Report = (path, message, part) => {
    problems.push(problemOf({ path, message, part }));
  };
  // The sentence goes on after the name of the option: `rate needs …` or `rate: "fast" is …`.
  const reportValue: Place["reportValue"] = (path, why) => {
    const message = `${path.join(".")}${why}`;
    problems.push({ ...problemOf({ path, message }), path: "" });
  };

  if (!isRecord(content) && !isBlank(content)) {
    report([], "it has to hold keys and values with a space after the colon, such as rate: 50/s");
  }
  const entries = isRecord(content) ? content : {};
  const root = { file, folder: dirname(file), known, report, reportValue };
  const settings = settingsOf(entries, { ...root, within: [], origin: "configuration" });
  const targets = new Map<string, Layer>();
  if (entries.targets !== undefined && !isRecord(entries.targets)) {
    report(["targets"], "has to hold the names of targets");
  }
  for (const [name, own] of Object.entries(isRecord(entries.targets) ? entries.targets : {})) {
    const within = ["targets", name];
    if (!isRecord(own)) report(within, "has to hold keys such as base_url");
    const keys = isRecord(own) ? own : {};
    targets.set(name, settingsOf(keys, { ...root, within, origin: "target" }));
  }
  const chosen = settings.get("target");
  if (chosen !== undefined && !targets.has(chosen.value)) {
    report(["target"], `this file ${whyNoTarget(chosen.value, [...targets.keys()])}`);
  }
  if (problems.length > 0) throw invalid(file, problems);
  return { file, isThere: true, settings, targets };
}

type Report = (path: readonly string[], message: string, part?: "key") => void;

/** A part of the file that holds settings: its top, or a target. */
interface Place {
  readonly file: string;
  /** The folder of the file: paths in it are relative to that. */
  readonly folder: string;
  readonly known: KnownOptions;
  readonly report: Report;
  readonly reportValue: (path: readonly string[], why: string) => void;
  /** `["targets", "north"]`; empty for the top of the file. */
  readonly within: readonly string[];
  readonly origin: "configuration" | "target";
}

function isBlank(value: unknown): boolean {
  return value === null || (typeof value === "string" && value.trim() === "");
}

/** Keys that only the top of the file may have. */
const topKeys = ["target", "targets"];

function settingsOf(entries: Readonly<Record<string, unknown>>, place: Place): Layer {
  const { known, within, report, reportValue } = place;
  const isTop = within.length === 0;
  const settings = new Map<string, Setting>();
  const add = (value: unknown, path: readonly string[], name: string, option: KnownOption) => {
    const setting = readSetting(value, path, option, place);
    if (typeof setting === "string") {
      report(path, setting);
      return;
    }
    const checked = option.read(setting.value);
    const why = checked.kind === "wrong" ? checked.why : findFault(name, setting.value);
    if (why !== undefined) reportValue(path, why);
    settings.set(name, setting);
  };
  for (const [key, value] of Object.entries(entries)) {
    const path = [...within, key];
    if (key === "targets" && isTop) continue;
    if (key === "statuses") {
      if (!isRecord(value)) report(path, "has to hold success, retry or reject");
      for (const [list, statuses] of Object.entries(isRecord(value) ? value : {})) {
        const option = optionOf(`statuses-${list}`, known);
        if (option !== undefined) add(statuses, [...path, list], `statuses-${list}`, option);
        else report([...path, list], unknownStatusList, "key");
      }
      continue;
    }
    const name = key.replaceAll("_", "-");
    const isKey = !key.includes("-") && key !== "config" && !name.startsWith("statuses-");
    const option = isKey && (isTop || !topKeys.includes(key)) ? optionOf(name, known) : undefined;
    if (option !== undefined) add(value, path, name, option);
    else report(path, whyUnknown(key, isRecord(value), isTop, known), "key");
  }
  return settings;
}

const unknownStatusList =
  "unknown key; it is success, retry or reject. A list of statuses needs brackets: [2xx, 409]";

function optionOf(name: string, known: KnownOptions): KnownOption | undefined {
  return Object.hasOwn(known, name) ? known[name] : undefined;
}

/** The setting, or what is wrong with its form. */
function readSetting(
  value: unknown,
  path: readonly string[],
  { takesList, isPath, takesProgram }: KnownOption,
  { file, folder, origin }: Place,
): Setting | string {
  if (isBlank(value)) return "is blank; give it a value, or leave it out";
  const shared = {
    origin,
    place: `${file}: ${path.join(".")}`,
    ...(takesProgram && folder !== "." ? { folder } : {}),
  };
  if (typeof value === "string") {
    // A path in it goes by the folder of the file; `-` is no file.
    const isMoved = isPath && folder !== "." && value !== "-" && !isAbsolute(value);
    return { ...shared, value: isMoved ? join(folder, value) : value };
  }
  if (!takesList) return "takes one value, not a list or an object";
  const items: unknown[] = Array.isArray(value) ? value : [];
  const texts = items.filter((item) => typeof item === "string" && !isBlank(item)) as string[];
  if (items.length === 0 || texts.length < items.length) return "takes a text, or a list of texts";
  return { ...shared, value: texts.join(","), list: texts };
}

function whyUnknown(key: string, isMapping: boolean, isTop: boolean, known: KnownOptions): string {
  if (key === "token") {
    return "the token does not belong in a file like this; give token_file or token_command, or set EVENTLOAD_TOKEN";
  }
  if (key === "config") return "cannot stand in a configuration file; give --config";
  if (topKeys.includes(key)) return `belongs at the top of the file, not into a target`;
  const options = Object.keys(known).map(toKey);
  const keys = [...options.filter((one) => !one.includes(".")), "statuses"];
  const candidates = isTop ? [...keys, "targets"] : keys;
  return isTop && isMapping && suggest(key, candidates) === undefined
    ? "unknown key; a target belongs under targets:"
    : describeUnknownKey(key, candidates);
}

function invalid(file: string, found: readonly FileProblem[]): CannotStartError {
  const problems = inFileOrder(found).map((problem) => describeFileProblem(file, problem));
  const [only = ""] = problems;
  return problems.length === 1
    ? new CannotStartError("config_invalid", only)
    : new CannotStartError("config_invalid", `${file} has ${problems.length} problems.`, problems);
}

/**
 * Checks a value that otherwise only the commands check that need it: a configuration file is for all
 * commands, and reports its problems at once.
 *
 * @returns how the sentence continues after the name of the option
 */
function findFault(option: string, value: string): string | undefined {
  const why = finders[option]?.(value);
  return why === undefined ? undefined : `: ${why}`;
}

// A flag can still name the target.
const whyNotFilledHere = (name: string) => whyNotFilled(name, true, true);
const finders: Readonly<Record<string, (value: string) => string | undefined>> = {
  "base-url": whyNoBaseUrl,
  results: (name) => whyNoName(name, true, true),
  report: whyNotFilledHere,
  state: (name) => whyNoState(name, true, true),
  "log-file": whyNotFilledHere,
};

/** Plain http passes: a flag can still allow it. */
function whyNoBaseUrl(url: string): string | undefined {
  try {
    parseBaseUrl(url, true);
    return undefined;
  } catch (error) {
    if (error instanceof CannotStartError) return error.message.replace(/\.$/, "");
    throw error;
  }
}
