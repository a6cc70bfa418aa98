import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { exists } from "../../model/disk/exists.ts";
import { type CannotStartError, cannotStart } from "../../model/errors.ts";
import type { GivenReading, Reading } from "../../model/reading.ts";
import { filesOfAccount, isModule, mappingPathOf } from "../../model/run-files.ts";
import type { Setting } from "../../model/run-settings.ts";
import { type Input, isStream } from "../../run/options/input.ts";
import type { Host } from "../host.ts";
import type { Arguments } from "./arguments.ts";
import { refuseFoundProgram } from "./found-file.ts";
import { settingsGiven } from "./send-options.ts";

/**
 * The input of a command: a file, several, or standard input.
 *
 * @throws CannotStartError if standard input is one of several
 */
export function inputOf(args: Arguments, { stdin }: Host): Input {
  const given = args.list("input");
  const [first = "", second] = given;
  if (second === undefined) return first === "-" ? stdin : first;
  if (!given.includes("-")) return given;
  const why = "- is standard input, which is read alone; save it to a file to read it with others";
  throw cannotStart("option_invalid", "input", why);
}

/**
 * The mapping of a command: the one that was given, else the first one beside the input. A module is a program, and
 * is never run for lying there.
 *
 * @returns undefined if there is none
 */
export async function mappingOf(args: Arguments, input: Input): Promise<string | undefined> {
  const given = args.text("mapping");
  if (isModule(given)) refuseFoundProgram(args.given("mapping"));
  if (given !== undefined || isStream(input)) return given;
  for (const path of mappingsBeside(input)) {
    if (!(await exists(path))) continue;
    // Nobody named it, and a pipe may never end.
    if ((await stat(path).catch(() => undefined))?.isFile()) return path;
    throw cannotStart("mapping_unreadable", path, "it is no file");
  }
  return undefined;
}

/** Why there is no mapping: what was looked for, or that the input itself is not there. */
export async function mappingMissing(input: Input): Promise<CannotStartError> {
  if (isStream(input)) return cannotStart("mapping_missing", undefined, []);
  const [first = ""] = [input].flat();
  if (!(await exists(first))) return cannotStart("input_not_found", first);
  const isOfAccount = /\.(?:results|failed)[^/\\]*$/.test(first);
  if (isOfAccount && (await exists(filesOfAccount(first).manifest))) {
    return cannotStart("results_file_as_input", basename(first), first);
  }
  const module = mappingPathOf(first).replace(/\.yaml$/, ".mjs");
  if (await exists(module)) return cannotStart("mapping_is_program", module);
  return cannotStart("mapping_missing", first, mappingsBeside(input));
}

function mappingsBeside(input: string | readonly string[]): string[] {
  const base = mappingPathOf([input].flat()[0] ?? "").replace(/\.yaml$/, "");
  return [".yaml", ".yml", ".json"].map((extension) => `${base}${extension}`);
}

/** How an input is to be read. What its mapping says wins over what was not typed. */
export function readingOf(args: Arguments): GivenReading {
  const fallback = readingGiven(args, false);
  return { ...readingGiven(args, true), ...(fallback && { fallback }) };
}

/**
 * How a results file is read. What the configuration file says is of inputs, and eventload has written its
 * results in a way of its own.
 */
export function resultsReadingOf(args: Arguments): Reading {
  return { ...readingGiven(args, true) };
}

function readingGiven(args: Arguments, isTyped: boolean): Reading | undefined {
  const counts = ({ group, flag }: Setting) =>
    group === "Input" && (args.given(flag)?.origin === "command line") === isTyped;
  return settingsGiven(args, counts).reading;
}
