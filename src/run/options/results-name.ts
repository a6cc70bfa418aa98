import { whyNotFileName } from "../../model/disk/platform.ts";
import { defaultResultsPath, whyNotResults } from "../../model/run-files.ts";
import { path, pathUnless } from "../../model/value-types.ts";

/** The values of `{input}`, `{date}` and so on in the name of a file, as far as they are known. */
export interface NameValues {
  readonly input?: string | undefined;
  /** `2026-11-21` */
  readonly date?: string;
  /** `031500` */
  readonly time?: string;
  readonly target?: string | undefined;
  /** `3-of-8` */
  readonly shard?: string | undefined;
}

const placeholder = /\{(\w+)\}/g;
const anyValues = { input: "", date: "", time: "", target: "", shard: "" };

/** The path of a file that a run writes: the placeholders in its name are filled in when it starts. */
export function toWrite(type = path, values: NameValues = anyValues) {
  return pathUnless((name) => whyNotFilled(name, values) ?? whyNotFileName(name), type);
}

export const resultsFile = toWrite(pathUnless(whyNotResults));

export function whyNotFilled(name: string, values: NameValues): string | undefined {
  const known = new Map(Object.entries(values).filter(([, value]) => value !== undefined));
  const [unknown] = [...name.matchAll(placeholder)].filter(([, part = ""]) => !known.has(part));
  if (unknown === undefined) return undefined;
  const usable = [...known.keys()].map((part) => `{${part}}`).join(", ");
  return `${unknown[0]} has no value here; use ${usable}`;
}

export function fillName(name: string, values: NameValues): string {
  return name.replace(placeholder, (whole, part: keyof NameValues) => {
    // A part of a name, and never a folder.
    return values[part]?.replaceAll(/[/\\]|^\.+$/g, "_") ?? whole;
  });
}

/** The default results of a night, beside the input: each night has results of its own. */
export function nightResults(input: string, now: Date): string {
  const name = defaultResultsPath(input).replace(/(?=\.results\.csv$)/, ".{date}.{time}");
  return fillName(name, dateParts(now));
}

/** Local date and time, for file names. */
export function dateParts(now: Date): { readonly date: string; readonly time: string } {
  const two = (number: number) => String(number).padStart(2, "0");
  return {
    date: `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`,
    time: `${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`,
  };
}
