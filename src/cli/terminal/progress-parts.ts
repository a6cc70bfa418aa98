import { grouped } from "../../model/quantities.ts";

/** A piece of a line of the progress. */
export interface ProgressPart {
  /**
   * Its forms, the richest first, each with how narrow it may get: from 0, where there is room for all,
   * to 9, where only the last remain.
   */
  readonly forms: readonly (readonly [text: string, upTo: number])[];
  /** Means nothing any more when the run has ended. */
  readonly isPassing?: true;
}

export interface ProgressDescription {
  readonly phase: string;
  /** From 0 to 1; nothing where the end is not known. */
  readonly share: number | undefined;
  /** In the order in which they stand. */
  readonly parts: readonly ProgressPart[];
  /** What stands in a second line. */
  readonly below: readonly ProgressPart[];
}

/** Over how many seconds the speed is that of now, and that by which to tell what is left. */
export const nowSeconds = 10;
export const longRunSeconds = 60;

export function part(...forms: ProgressPart["forms"]): ProgressPart {
  return { forms };
}

export function passing(part: ProgressPart | undefined): ProgressPart | undefined {
  return part === undefined ? undefined : { ...part, isPassing: true };
}

/** The parts in the forms that they have where it is so narrow. */
export function textAt(parts: readonly ProgressPart[], level: number): string {
  return parts.flatMap((part) => formAt(part, level) ?? []).join(", ");
}

function formAt({ forms }: ProgressPart, level: number): string | undefined {
  return forms.find(([, upTo]) => upTo >= level)?.[0];
}

export function percentPart(share: number | undefined): ProgressPart | undefined {
  // 100 % is said of nothing that is not over.
  return share === undefined ? undefined : part([`${Math.floor(share * 100)} %`, 3]);
}

export function ratePart(perSecond: number | undefined): ProgressPart | undefined {
  return perSecond === undefined ? undefined : part([rateText(perSecond), 7]);
}

/** `48/s`, `0.5/s`, and `1.5/m` or `2/h` where of a second nothing would be left. */
export function rateText(perSecond: number): string {
  const [name, seconds] =
    units.find(([, seconds]) => perSecond === 0 || perSecond * seconds >= 0.1) ?? hour;
  const inUnit = perSecond * seconds;
  return `${grouped(inUnit < 10 ? Math.round(inUnit * 10) / 10 : Math.round(inUnit))}/${name}`;
}

/** A rate that was asked for, in the unit in which it is a whole number: `50/s`, `100/h`. */
export function capText(perSecond: number): string {
  const whole = units.find(([, seconds]) => isWhole(perSecond * seconds));
  if (whole === undefined) return rateText(perSecond);
  const [name, seconds] = whole;
  return `${grouped(Math.round(perSecond * seconds))}/${name}`;
}

const hour = ["h", 3600] as const;
/** As `--rate` takes them. */
const units = [["s", 1], ["m", 60], hour] as const;

/** Apart from what the division of an hour by seconds leaves. */
function isWhole(number: number): boolean {
  return number >= 0.5 && Math.abs(number - Math.round(number)) < 1e-6;
}

export function shareOf(done: number, total: number | undefined): number | undefined {
  if (total === undefined) return undefined;
  return total === 0 ? 1 : Math.min(1, done / total);
}

/** @param seconds nothing where nobody knows */
export function etaPart(seconds: number | undefined): ProgressPart | undefined {
  const time = seconds === undefined ? undefined : timeLeft(seconds);
  if (time === undefined) return passing(part(["ETA unknown", 8]));
  const [long, short] = time;
  return passing(part([`ETA ${long}`, 4], [`ETA ${short}`, 8]));
}

const mostHours = 999;

/** `42 s`, `3 min 20 s`, `2 h 5 min`, and in short; nothing where nobody can tell. */
function timeLeft(exactly: number): [long: string, short: string] | undefined {
  const seconds = Math.ceil(exactly);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (!Number.isFinite(seconds) || hours > mostHours) return undefined;
  if (minutes === 0) return [`${seconds} s`, `${seconds} s`];
  if (hours === 0) return [`${minutes} min ${seconds % 60} s`, `${Math.round(seconds / 60)} min`];
  return [`${hours} h ${minutes % 60} min`, `${Math.round(minutes / 60)} h`];
}
