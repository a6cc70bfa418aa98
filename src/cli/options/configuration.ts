import { stat } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { readSmallFile } from "../../model/disk/read-small-file.ts";
import { refuseForeign } from "../../model/disk/refuse-foreign.ts";
import { CannotStartError, cannotStart, reasonOf } from "../../model/errors.ts";
import { describeFileProblem, type FileProblem, inFileOrder } from "../../model/file-problem.ts";
import { describeUnknownKey } from "../../model/suggest.ts";
import type { GivenValue, SettingsLayer } from "./arguments.ts";
import { type Option, toKey, whyNoTarget } from "./option-types.ts";

export interface Configuration {
  readonly file: string;
  readonly settings: SettingsLayer;
  readonly targets: ReadonlyMap<string, SettingsLayer>;
}

type KnownOption = Pick<Option, "takesList" | "takesProgram" | "isPath" | "read">;

export type KnownOptions = Readonly<Record<string, KnownOption>>;

const usualFile = "eventload.yaml";

/**
 * Reads and checks all of a configuration file, also the values and targets that this command does not need.
 *
 * @param given the file that was named; otherwise there may be none
 * @param known the options of all commands
 * @throws CannotStartError if it cannot be used, with every problem and its line
 */
export async function readConfiguration(
  given: string | undefined,
  cwd: string,
  known: KnownOptions,
): Promise<Configuration> {
  const [path, file] = [given ?? join(cwd, usualFile), given ?? usualFile];
  const itself = await refuseForeign(path, "The configuration file");
  const text = await readConfig(path, given === undefined).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" && given === undefined) return undefined;
    throw cannotStart("config_invalid", file, `it cannot be read: ${reasonOf(error)}.`);
  });
  if (text === undefined) return { file, settings: new Map(), targets: new Map() };
  // Most folders have none, and then nothing loads the YAML parser.
  const { isRecord, readYaml } = await import("../../model/yaml-document.ts");
  const kind = { longListFix: "shorten it", hasSecrets: true, isText: true };
  const yaml = readYaml(text, kind);
  if (yaml.kind === "invalid") throw invalidConfiguration(file, yaml.problems);
  const { content, problemOf } = yaml.document;
  const problems = [...yaml.document.problems];
  const report = (path: readonly string[], message: string, part?: "key") => {
    problems.push(problemOf({ path, message, part }));
  };
  const folder = dirname(itself === path ? file : itself);
  const place = { file, folder, foundIn: given === undefined ? file : undefined };
  const keysOf = (value: unknown, path: readonly string[], needed: string) => {
    if (isRecord(value)) return value;
    if (value !== undefined && !(path.length === 0 && isUnset(value))) report(path, needed);
    return {};
  };
  const settingsOf = (keys: Readonly<Record<string, unknown>>, target?: string): SettingsLayer => {
    // The file names no other file, and a target no other target.
    const elsewhere = target === undefined ? ["config"] : ["config", "target"];
    const allowed = Object.keys(known).filter((name) => !elsewhere.includes(name));
    const names = new Map(allowed.map((name) => [toKey(name), name]));
    const settings = new Map<string, GivenValue>();
    for (const [key, value] of Object.entries(keys)) {
      const path = target === undefined ? [key] : ["targets", target, key];
      const name = names.get(key) ?? "";
      const option = known[name];
      if (option === undefined) {
        report(path, key === "token" ? noToken : describeUnknownKey(key, [...names.keys()]), "key");
        continue;
      }
      const origin = target === undefined ? "configuration" : "target";
      const setting = readSetting(value, option, { ...place, path, origin });
      const why = typeof setting === "string" ? setting : option.read(setting.value).why;
      if (why !== undefined) report(path, why);
      else settings.set(name, setting as GivenValue);
    }
    return settings;
  };

  const needed = "it has to hold keys and values with a space after the colon, such as rate: 50/s";
  const { targets: ofTargets, ...keys } = keysOf(content, [], needed);
  const settings = settingsOf(keys);
  const named = keysOf(ofTargets, ["targets"], "has to hold the names of targets");
  const targets = new Map(
    Object.entries(named).map(([name, own]) => {
      return [
        name,
        settingsOf(keysOf(own, ["targets", name], "has to hold keys such as base_url"), name),
      ];
    }),
  );
  const chosen = settings.get("target");
  if (chosen !== undefined && !targets.has(chosen.value)) {
    report(["target"], `this file ${whyNoTarget(chosen.value, [...targets.keys()])}`);
  }
  if (problems.length > 0) throw invalidConfiguration(file, problems);
  return { file, settings, targets };
}

const maxConfigurationBytes = 1024 * 1024;

/** @param isFound whether nobody named it: then it has to be a file, as a pipe may never end */
async function readConfig(path: string, isFound: boolean): Promise<string> {
  if (isFound && !(await stat(path)).isFile()) throw new Error("it is no file");
  const bytes = await readSmallFile(path, maxConfigurationBytes);
  if (bytes === undefined) throw new Error("it is larger than 1 MiB");
  return bytes.toString("utf8");
}

function isUnset(value: unknown): boolean {
  return value === null || (typeof value === "string" && value.trim() === "");
}

const noToken =
  "the token does not belong in a file like this; give token_file or token_command, or set EVENTLOAD_TOKEN";

/** Where a setting stands: the folder is that of the file, not of a link to it, as paths in it are relative to that. */
interface SettingPlace extends Pick<GivenValue, "origin" | "foundIn"> {
  readonly file: string;
  readonly folder: string;
  readonly path: readonly string[];
}

/** @returns what is wrong with it, if it cannot be used */
function readSetting(
  value: unknown,
  { takesList, isPath, takesProgram }: KnownOption,
  { file, folder, path, origin, foundIn }: SettingPlace,
): GivenValue | string {
  if (isUnset(value)) return "is blank; give it a value, or leave it out";
  const shared = {
    ...{ origin, place: `${file}: ${path.join(".")}`, foundIn },
    ...(takesProgram && folder !== "." ? { folder } : {}),
  };
  if (typeof value === "string") {
    // A path in it goes by the folder of the file; `-` is no file.
    const isMoved = isPath && folder !== "." && value !== "-" && !isAbsolute(value);
    return { ...shared, value: isMoved ? join(folder, value) : value };
  }
  if (!takesList) return "takes one value, not a list or an object";
  const items: unknown[] = Array.isArray(value) ? value : [];
  const texts = items.filter((item) => typeof item === "string" && !isUnset(item)) as string[];
  if (items.length === 0 || texts.length < items.length) return "takes a text, or a list of texts";
  return { ...shared, value: texts.join(","), list: texts };
}

function invalidConfiguration(file: string, found: readonly FileProblem[]): CannotStartError {
  const problems = inFileOrder(found).map((problem) => describeFileProblem(file, problem));
  const [only = ""] = problems;
  return problems.length === 1
    ? new CannotStartError("config_invalid", only)
    : new CannotStartError("config_invalid", `${file} has ${problems.length} problems.`, problems);
}
