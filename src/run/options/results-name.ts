import { defaultResultsPath, whyNotResults } from "../../model/run-files.ts";

/** The values of `{input}`, `{date}`, `{time}`, `{target}` and `{shard}` in a name of results. */
export interface NameParts {
  readonly input: string;
  /** `2026-11-21` */
  readonly date: string;
  /** `031500` */
  readonly time: string;
  readonly target: string | undefined;
  /** `3-of-8` */
  readonly shard: string | undefined;
}

const known = ["input", "date", "time", "target", "shard"] as const satisfies (keyof NameParts)[];
const placeholder = /\{(\w+)\}/g;

/** Why a name with placeholders cannot be used, as the end of a sentence. */
export function whyNotFilled(
  name: string,
  hasTarget: boolean,
  hasShard = false,
): string | undefined {
  const parts = partsIn(name);
  const unknown = parts.find((part) => !known.some((one) => one === part));
  if (unknown !== undefined) {
    return `{${unknown}} is not a placeholder; use ${known.map((part) => `{${part}}`).join(", ")}`;
  }
  if (parts.includes("target") && !hasTarget)
    return "{target} needs a target; name one with --target";
  if (parts.includes("shard") && !hasShard) return "{shard} needs a shard; give one with --shard";
  return undefined;
}

/** The same for a name of results. */
export function whyNoName(name: string, hasTarget: boolean, hasShard = false): string | undefined {
  return whyNotFilled(name, hasTarget, hasShard) ?? whyNotResults(name);
}

/** The same for the state of nights, which is one file for all of them. */
export function whyNoState(name: string, hasTarget: boolean, hasShard = false): string | undefined {
  return isDated(name)
    ? "it is one file for all nights, so its name cannot have {date} or {time}"
    : whyNotFilled(name, hasTarget, hasShard);
}

/** The default results of a night, beside the input: each night has results of its own. */
export function nightResults(input: string, now: Date): string {
  const name = defaultResultsPath(input).replace(/(?=\.results\.csv$)/, ".{date}.{time}");
  return fillName(name, dateParts(now));
}

/** Whether a name contains a date or time. */
export function isDated(name: string): boolean {
  return partsIn(name).some((part) => part === "date" || part === "time");
}

/** The name with its placeholders filled in. */
export function fillName(
  name: string,
  parts: { readonly [part in keyof NameParts]?: string | undefined },
): string {
  return name.replace(placeholder, (whole, part: keyof NameParts) => {
    const value = parts[part];
    return value === undefined ? whole : value.replaceAll(/[/\\]/g, "_");
  });
}

/** Local date and time, for file names. */
export function dateParts(now: Date): Pick<NameParts, "date" | "time"> {
  const two = (number: number) => String(number).padStart(2, "0");
  return {
    date: `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`,
    time: `${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`,
  };
}

function partsIn(name: string): string[] {
  return [...name.matchAll(placeholder)].map(([, part = ""]) => part);
}
