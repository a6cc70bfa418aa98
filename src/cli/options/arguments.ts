import { CannotStartError } from "../../model/errors.ts";
import type { Option, OptionValue } from "./option-types.ts";

/** What a command takes. */
interface Takes {
  readonly options: Readonly<Record<string, Option>>;
  readonly positional?: { readonly name: string; readonly isList?: true };
}

/** What a command was given, read and checked. */
export interface Arguments {
  /** What an argument was given as: each of several, in their order. */
  list(name: string): readonly string[];
  /** Text of an option; undefined if it was not given. */
  text(name: string): string | undefined;
  number(name: string): number | undefined;
  flag(name: string): boolean;
  /** The value that counts, with the place where it was given. */
  setting(name: string): Setting | undefined;
  /** The places of settings, from the one that counts most. */
  readonly layers: readonly Layer[];
  /** The run that the command continues or retries. */
  readonly earlier: EarlierRun | undefined;
}

/** Settings that were given in one place, by the names of the options. */
export type Layer = ReadonlyMap<string, Setting>;

/** yargs reads a lone `-` as nothing, so another text stands for it on the way through. */
const dash = "\u0000-";

export function guardDashes(argv: readonly string[]): string[] {
  return argv.map((argument) => (argument === "-" ? dash : argument));
}

/**
 * What stands on the command line.
 *
 * @throws CannotStartError if an option is given twice or is blank
 */
export function givenSettings({ options, positional }: Takes, parsed: ParsedArguments): Layer {
  const given = new Map<string, Setting>();
  const names = Object.keys(options).map((name): [string, string] => [name, `--${name}`]);
  if (positional !== undefined) names.push([positional.name, positional.name]);
  for (const [name, place] of names) {
    const value = parsed[name];
    if (value === undefined) continue;
    const isList = name === positional?.name ? positional.isList : options[name]?.isRepeatable;
    const texts = [value].flat().map(String).map(withDash);
    if (texts.some((text) => text.trim() === ""))
      throw invalid(`${place} is blank: give it a value.`);
    // Which of two was meant cannot be known, and the wrong one may be another's service.
    if (!isList && texts.length > 1) throw invalid(`${place} is given twice: give it once.`);
    const origin = "command line";
    const list = isList ? { list: texts } : {};
    given.set(name, { value: texts.join(" "), ...list, origin, place });
  }
  return given;
}

/**
 * Reads what was given for a command.
 *
 * @param layers from the one that counts most
 * @throws CannotStartError if values cannot be used, naming the place of each
 */
export function readArguments(
  { options, positional }: Takes,
  layers: readonly Layer[],
  earlier?: EarlierRun,
): Arguments {
  const find = (name: string) => layers.find((layer) => layer.has(name))?.get(name);
  const values = new Map<string, OptionValue>();
  const faults: string[] = [];
  const input = positional === undefined ? undefined : find(positional.name);
  if (positional !== undefined && input !== undefined) values.set(positional.name, input.value);
  for (const [name, option] of Object.entries(options)) {
    const setting = find(name);
    if (setting === undefined) continue;
    const read = option.read(setting.value);
    if (read.kind === "wrong") faults.push(`${setting.place}${read.why}`);
    else values.set(name, read.value);
  }
  if (faults.length > 0) throw allInvalid(faults);
  return {
    list(name) {
      const setting = find(name);
      return setting === undefined ? [] : (setting.list ?? [setting.value]);
    },
    text(name) {
      const value = values.get(name);
      return value === undefined ? undefined : String(value);
    },
    number(name) {
      const value = values.get(name);
      return value === undefined ? undefined : Number(value);
    },
    flag: (name) => values.get(name) === true,
    setting: find,
    layers,
    earlier,
  };
}

function withDash(text: string): string {
  return text === dash ? "-" : text;
}

function allInvalid(faults: readonly string[]): CannotStartError {
  const [only = ""] = faults;
  if (faults.length === 1) return invalid(only.endsWith("?") ? only : `${only}.`);
  const message = `${faults.length} settings cannot be used.`;
  return new CannotStartError("option_invalid", message, faults);
}

function invalid(message: string): CannotStartError {
  return new CannotStartError("option_invalid", message);
}

/** Arguments as yargs parsed them, by the names of the options. */
export type ParsedArguments = Readonly<Record<string, unknown>>;

/** The run that a command continues or retries, as a manifest or journal with a good seal has it. */
export interface EarlierRun {
  readonly results: string;
  /** Where it went. */
  readonly baseUrl: string;
  /** Path of its mapping. */
  readonly mapping: string;
  /** By which name, if by one. */
  readonly target: string | undefined;
  /** Whether this command may go elsewhere if that is typed. */
  readonly mayGoElsewhere: boolean;
}

/** Where the value of an option stands. */
export type Origin = "command line" | "environment" | "target" | "configuration";

/** The value of an option as it was given. */
export interface Setting {
  readonly value: string;
  /** The same in its parts, if a list was given. */
  readonly list?: readonly string[];
  readonly origin: Origin;
  /** Whether it was typed for this command, or is of a target that was. */
  readonly isChosenHere?: boolean;
  /** The folder of the configuration file, where a program that it names is started. */
  readonly folder?: string;
  /** The place as a message names it: `--rate`, `EVENTLOAD_BASE_URL` or `eventload.yaml: rate`. */
  readonly place: string;
}

/** Whether it was typed for this very command, or is of a target that was. */
export function isTyped(setting: Setting | undefined): boolean {
  return setting?.origin === "command line" || setting?.isChosenHere === true;
}
