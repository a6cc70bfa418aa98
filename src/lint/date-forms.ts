import type { Place } from "../model/place.ts";
import { createSightings, type Sightings } from "./sightings.ts";

/** How a date is written, apart from which of day and month comes first. */
export type DateForm =
  | { readonly kind: "iso" }
  | { readonly kind: "year_first"; readonly separator: string }
  | {
      readonly kind: "numeric";
      readonly separator: string;
      readonly hasCentury: boolean;
      /** Those of its first two numbers that are below ten, with a zero before them or without. */
      readonly padding: readonly [Padding, Padding];
    }
  /** `45325`: the number of a day, as spreadsheet programs keep it. */
  | { readonly kind: "serial" }
  /** `3-Feb-24`; in part `3-Feb` or `Feb-24`, of which the rest is lost. */
  | { readonly kind: "named"; readonly isPart: boolean };

export type Padding = "padded" | "bare" | "neither";

/** The dates of one form. */
export interface FormTally {
  readonly form: DateForm;
  all: number;
  readonly example: string;
  /** Those that would be sent. */
  readonly sent: Sightings;
}

export interface DateForms {
  add(form: DateForm, cell: string, place: Place, isSent: boolean): void;
  /** In the order in which they appeared. */
  readonly tallies: readonly FormTally[];
}

export function createDateForms(): DateForms {
  const byForm = new Map<DateForm, FormTally>();
  const tallies: FormTally[] = [];
  let last: FormTally | undefined;

  const tallyOf = (form: DateForm, cell: string): FormTally => {
    const known = byForm.get(form);
    if (known !== undefined) return known;
    const fresh = { form, all: 0, example: cell, sent: createSightings() };
    byForm.set(form, fresh);
    tallies.push(fresh);
    return fresh;
  };

  return {
    tallies,
    add(form, cell, place, isSent) {
      // Most are written as the one before.
      if (last?.form !== form) last = tallyOf(form, cell);
      last.all++;
      if (isSent) last.sent.add(place, cell);
    },
  };
}

/** Numeric forms by all that tells them apart, so that each is one object. */
const numericForms = ["/", ".", "-"].map((separator) =>
  [true, false].map((hasCentury) =>
    paddings().map((first) =>
      paddings().map((second) => ({
        ...{ kind: "numeric" as const, separator, hasCentury },
        padding: [first, second] as const,
      })),
    ),
  ),
);

function paddings(): readonly Padding[] {
  return ["neither", "padded", "bare"];
}

/** The form of `first/second/year`. */
export function numericForm(
  separator: string,
  first: string,
  second: string,
  year: string,
): DateForm {
  const ofSeparator = numericForms[separator === "/" ? 0 : separator === "." ? 1 : 2];
  const ofYear = ofSeparator?.[year.length === 4 ? 0 : 1];
  return ofYear?.[paddingOf(first)]?.[paddingOf(second)] as DateForm;
}

function paddingOf(digits: string): number {
  if (digits.length === 1) return 2;
  return digits.startsWith("0") ? 1 : 0;
}

export const isoForm: DateForm = { kind: "iso" };
export const serialForm: DateForm = { kind: "serial" };
export const namedForm: DateForm = { kind: "named", isPart: false };
export const partForm: DateForm = { kind: "named", isPart: true };
export const yearFirstForms: Readonly<Record<string, DateForm>> = {
  "/": { kind: "year_first", separator: "/" },
  ".": { kind: "year_first", separator: "." },
  "-": { kind: "year_first", separator: "-" },
};
