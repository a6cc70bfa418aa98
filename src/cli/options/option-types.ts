import { type Setting, settings, usualText } from "../../model/run-settings.ts";
import { didYouMean, flag, type ValueType } from "../../model/value-types.ts";

/** The titles under which the help shows options, in this order. */
export const groups = [
  ...(["Input", "Mapping", "Service", "Sending", "Rows", "Output", "Misbehaviour"] as const),
];

/** An option, whether its value is typed or stands in a configuration file. */
export interface Option extends Omit<ValueType, "why" | "show"> {
  readonly describe: string;
  readonly short?: string | undefined;
  readonly group?: (typeof groups)[number];
  readonly isRequired?: true;
  /** `file` for a key of the configuration file alone; `typed` for an option of one command, which is no key of it. */
  readonly only?: Setting["only"];
  readonly conflicts?: readonly string[];
  /** What a run writes to the file that it names, such as `the log`. Placeholders in its name are filled in. */
  readonly written?: string;
  /** What counts where nothing is given, in words for people. */
  readonly default?: string | undefined;
  /** The setting that the option gives, if a run keeps it. */
  readonly setting?: Setting;
}

/** Makes options that no run keeps, by default flags, under a title of the help. */
export function optionsIn(group: Option["group"], shared: Partial<Option> = {}) {
  return (describe: string, type: ValueType = flag, more: Partial<Option> = {}): Option => {
    return { ...type, describe, ...(group !== undefined && { group }), ...shared, ...more };
  };
}

export const option = optionsIn(undefined);

/** Of an option that says something of one command, and so is no key of the configuration file. */
const onlyTyped = { only: "typed" } as const;
export const typedMapping = optionsIn("Mapping", onlyTyped);
export const typedOutput = optionsIn("Output", onlyTyped);
export const typedRows = optionsIn("Rows", onlyTyped);

/** The options of settings that a run keeps, by their names on the command line. */
export function settingOptions(isChosen: (setting: Setting) => boolean): Record<string, Option> {
  const chosen = settings.filter(isChosen).map((setting): [string, Option] => {
    const { flag, group, help: describe, type, short, only } = setting;
    const standard = usualText(setting);
    return [flag, { ...type, only, describe, short, group, default: standard, setting }];
  });
  return Object.fromEntries(chosen);
}

export function describeOption({ describe, default: otherwise }: Option): string {
  return otherwise === undefined ? describe : `${describe} (default: ${otherwise})`;
}

/** The key of a configuration file that says the same as an option. */
export function toKey(option: string): string {
  return option.replaceAll("-", "_");
}

/** How a sentence about a configuration file continues that lacks a target. */
export function whyNoTarget(target: string, names: readonly string[]): string {
  const there =
    names.length === 0
      ? "; it has none: write it there under targets, name another file with --config, or give --base-url"
      : `; it has ${names.join(", ")}`;
  const hint = (didYouMean(target, names) || there).replace(/\?$/, "");
  return `has no target "${target}"${hint}`;
}
