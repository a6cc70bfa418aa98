import { CannotStartError } from "../../model/errors.ts";
import type { Shard } from "../../model/shard.ts";
import type { TypedValue } from "../../model/value-types.ts";
import type { Option } from "./option-types.ts";

interface Takes {
  readonly options: Readonly<Record<string, Option>>;
  readonly positional?: {
    readonly name: string;
    readonly isList?: true;
    readonly takesStdin?: true;
  };
}

export type Arguments = ReturnType<typeof readArguments>;

/** Settings that were given in one place, by the names of the options. */
export type SettingsLayer = ReadonlyMap<string, GivenValue>;

/** yargs loses a lone `-`, so another text stands for it while yargs parses. */
const dash = "\u0000-";

export function guardDashes(argv: readonly string[]): string[] {
  return argv.map((argument) => (argument === "-" ? dash : argument));
}

/**
 * The settings on the command line.
 *
 * @throws CannotStartError if an option is given twice or is blank, or standard input is given where it is not read
 */
export function typedLayer({ options, positional }: Takes, parsed: ParsedArguments): SettingsLayer {
  const given = new Map<string, GivenValue>();
  const names = Object.keys(options).map((name): [string, string] => [name, `--${name}`]);
  if (positional !== undefined) names.push([positional.name, positional.name]);
  for (const [name, place] of names) {
    const value = parsed[name];
    if (value === undefined) continue;
    const argument = name === positional?.name ? positional : undefined;
    const isList = argument?.isList;
    const texts = [value].flat().map((text) => (text === dash ? "-" : String(text)));
    if (texts.some((text) => text.trim() === ""))
      throw invalidOption(`${place} is blank: give it a value.`);
    if (argument !== undefined && argument.takesStdin !== true && texts.includes("-"))
      throw invalidOption("This command does not read standard input: give a file.");
    // Nobody can tell which of the two was meant, and the wrong one may be someone else's service.
    if (!isList && texts.length > 1) throw invalidOption(`${place} is given twice: give it once.`);
    const origin = "command line";
    const list = isList ? { list: texts } : {};
    given.set(name, { value: texts.join(" "), ...list, origin, place });
  }
  return given;
}

/**
 * Reads what was given for a command.
 *
 * @param layers the one with the highest precedence first
 * @throws CannotStartError if values cannot be used, naming the place of each
 */
export function readArguments(
  { options, positional }: Takes,
  layers: readonly SettingsLayer[],
  earlier?: EarlierRun,
) {
  const find = (name: string) => layers.find((layer) => layer.has(name))?.get(name);
  const values = new Map<string, TypedValue>();
  const faults: string[] = [];
  const input = positional === undefined ? undefined : find(positional.name);
  if (positional !== undefined && input !== undefined) values.set(positional.name, input.value);
  for (const [name, option] of Object.entries(options)) {
    const given = find(name);
    if (given === undefined) continue;
    const read = option.read(given.value);
    if (read.why === undefined) values.set(name, read.value);
    else faults.push(`${given.place}: ${read.why}`);
  }
  const [only, another] = faults;
  if (another !== undefined)
    throw invalidOption(`${faults.length} settings cannot be used.`, faults);
  if (only !== undefined) throw invalidOption(only.endsWith("?") ? only : `${only}.`);
  return {
    /** The values of an argument that can be given several times, in order. */
    list(name: string): readonly string[] {
      const given = find(name);
      return given === undefined ? [] : (given.list ?? [given.value]);
    },
    text(name: string) {
      const value = values.get(name);
      return value === undefined ? undefined : String(value);
    },
    number(name: string) {
      const value = values.get(name);
      return value === undefined ? undefined : Number(value);
    },
    value: (name: string) => values.get(name),
    flag: (name: string) => values.get(name) === true,
    /** The value that counts, as and where it was given. */
    given: find,
    layers,
    earlier,
    /** The part of the rows that the run takes. */
    shard: values.get("shard") as Shard | undefined,
  };
}

function invalidOption(message: string, faults?: readonly string[]): CannotStartError {
  return new CannotStartError("option_invalid", message, faults);
}

export type ParsedArguments = Readonly<Record<string, unknown>>;

/** The run that a command continues or retries, from a manifest or journal with a valid seal. */
export interface EarlierRun {
  readonly results: string;
  readonly baseUrl: string;
  readonly mapping: string;
  readonly target: string | undefined;
}

export type SettingOrigin =
  | "command line"
  | "earlier run"
  | "environment"
  | "target"
  | "configuration";

export interface GivenValue {
  readonly value: string;
  readonly list?: readonly string[];
  readonly origin: SettingOrigin;
  /** Whether the value was typed for this command, or comes from a target that was. */
  readonly isChosenHere?: boolean;
  /** The folder of the configuration file: a program that it names is started there. */
  readonly folder?: string;
  /** The configuration file, if nobody named it and it lay in the working directory. */
  readonly foundIn?: string | undefined;
  /** The place as a message names it: `--rate`, `EVENTLOAD_BASE_URL` or `eventload.yaml: rate`. */
  readonly place: string;
}

/** Whether a setting was typed for this command, or comes from a target that was. */
export function isTyped(setting: GivenValue | undefined): boolean {
  return setting?.origin === "command line" || setting?.isChosenHere === true;
}

export function isInFile(setting: GivenValue | undefined): boolean {
  return setting?.origin === "configuration" || setting?.origin === "target";
}
