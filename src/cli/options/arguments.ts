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
  /** Text of an option, or nothing where it was not given. */
  text(name: string): string | undefined;
  number(name: string): number | undefined;
  flag(name: string): boolean;
  /** Where the option was given, if it was. */
  setting(name: string): Setting | undefined;
  /** All places where it was given, that which counts first. */
  settings(name: string): readonly Setting[];
  /** The run that the command goes on from, where there is one. */
  readonly earlier: EarlierRun | undefined;
}

/** yargs reads a lone `-` as nothing, so another text stands for it on the way through. */
const dash = "\u0000-";

export function guardDashes(argv: readonly string[]): string[] {
  return argv.map((argument) => (argument === "-" ? dash : argument));
}

/**
 * What stands on the command line, by the names of the options.
 *
 * @throws CannotStartError where an option is there twice or blank
 */
export function givenSettings(
  { options, positional }: Takes,
  parsed: ParsedArguments,
): ReadonlyMap<string, Setting> {
  const given = new Map<string, Setting>();
  const names = Object.keys(options).map((name): [string, string] => [name, `--${name}`]);
  if (positional !== undefined) names.push([positional.name, positional.name]);
  for (const [name, place] of names) {
    const value = parsed[name];
    if (value === undefined) continue;
    const isList = name === positional?.name ? positional.isList : options[name]?.isRepeatable;
    if (isList) {
      const list = [value].flat().map(String).map(withDash);
      if (list.some((text) => text.trim() === "")) throw blank(place);
      given.set(name, { value: list.join(" "), list, origin: "command line", place });
      continue;
    }
    // Which of two was meant cannot be known, and the wrong one may be another's service.
    if (Array.isArray(value)) throw invalid(`${place} is given twice: give it once.`);
    const written = withDash(String(value));
    if (written.trim() === "") throw blank(place);
    given.set(name, { value: written, origin: "command line", place });
  }
  return given;
}

/**
 * Reads what was given for a command.
 *
 * @param layers settings by the names of the options
 * @throws CannotStartError where values cannot be used, naming the place of each
 */
export function readArguments(
  { options, positional }: Takes,
  layers: readonly ReadonlyMap<string, Setting>[],
  earlier?: EarlierRun,
): Arguments {
  const findAll = (name: string) =>
    layers.flatMap((layer) => layer.get(name) ?? []).toSorted((a, b) => weightOf(b) - weightOf(a));
  const find = (name: string) => findAll(name).at(0);
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
  const [fault, ...more] = faults;
  if (fault !== undefined) throw more.length > 0 ? allInvalid(faults) : invalid(sentence(fault));
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
    settings: findAll,
    earlier,
  };
}

function withDash(text: string): string {
  return text === dash ? "-" : text;
}

function blank(place: string): CannotStartError {
  return invalid(`${place} is blank: give it a value.`);
}

function sentence(fault: string): string {
  return fault.endsWith("?") ? fault : `${fault}.`;
}

function allInvalid(faults: readonly string[]): CannotStartError {
  return new CannotStartError(
    "option_invalid",
    `${faults.length} settings cannot be used.`,
    faults,
  );
}

function invalid(message: string): CannotStartError {
  return new CannotStartError("option_invalid", message);
}

/** Arguments as yargs parsed them, by the names of the options. */
export type ParsedArguments = Readonly<Record<string, unknown>>;

/** The run that a command goes on from, as a manifest or journal with a good seal has it. */
export interface EarlierRun {
  readonly results: string;
  /** Where it went. */
  readonly baseUrl: string;
  /** Path of its mapping. */
  readonly mapping: string;
  /** By which name, if by one. */
  readonly target: string | undefined;
  /** Whether this command may go elsewhere where that is typed. */
  readonly mayGoElsewhere: boolean;
}

/** Where the value of an option stands. */
export type Origin = "command line" | "earlier run" | "environment" | "target" | "configuration";

/** The value of an option as it was given. */
export interface Setting {
  readonly value: string;
  /** The same in its parts, where a list was given. */
  readonly list?: readonly string[];
  readonly origin: Origin;
  /** Where the target was named that it comes from. */
  readonly namedAt?: Exclude<Origin, "target">;
  /** Where a program that it names is started, if not in the working directory. */
  readonly folder?: string;
  /** The place as a message names it: `--rate`, `EVENTLOAD_RATE` or `eventload.yaml: rate`. */
  readonly place: string;
}

const weights = { "command line": 6, "earlier run": 5, environment: 4, configuration: 1 };

/**
 * A target that is typed, or that of the run before, counts more than the environment, as its address
 * and token belong together; what is said one by one at the same place counts more than it.
 */
const weightsOfTargets = {
  "command line": 5,
  "earlier run": 5,
  environment: 3,
  configuration: 2,
};

/** Of two settings of an option, the one that weighs more counts. */
export function weightOf({ origin, namedAt = "configuration" }: Setting): number {
  return origin === "target" ? weightsOfTargets[namedAt] : weights[origin];
}

/** What the environment says one by one weighs so much. */
export const weightOfEnvironment = weights.environment;

/** Whether nobody has chosen it for this very command: it stands in the configuration file. */
export function isFromFile(setting: Setting | undefined): boolean {
  return ["configuration", "earlier run"].includes(chosenAt(setting));
}

/** Whether it was typed for this very command, or is of a target that was. */
export function isTyped(setting: Setting | undefined): boolean {
  return chosenAt(setting) === "command line";
}

function chosenAt(setting: Setting | undefined): string {
  if (setting === undefined) return "";
  return setting.origin === "target" ? (setting.namedAt ?? "configuration") : setting.origin;
}
