/** Date formats that are a name instead of fields. */
const namedDateFormats = ["iso", "excel_serial", "X", "x"] as const;

/** Luxon's fields, without those that are ambiguous or cannot be parsed. */
const isField = /^(?:y{4}|yy|M{1,4}|d{1,2}|E{3,4}|H{1,2}|h{1,2}|m{1,2}|s{1,2}|SSS|u|a|Z{1,3})$/;
/** What each letter stands for. */
const meaningOf: Readonly<Record<string, string>> = {
  E: "day of the week",
  H: "hour",
  M: "month",
  S: "milliseconds",
  Z: "offset",
  a: "half of the day",
  d: "day",
  h: "hour",
  m: "minute",
  s: "second",
  u: "fraction of a second",
  y: "year",
};
/** Whether a date format has a two-digit year. */
export function hasTwoDigitYear(format: string): boolean {
  return /(?<!y)yy(?!y)/.test(format.replaceAll(/'[^']*'/g, " "));
}

/** Longer than any real format. Luxon builds a regular expression from it. */
const maxFormatCharacters = 200;

/**
 * What is wrong with a date format, and the one that is meant; undefined if it is valid: it has year, month and
 * day, no field twice, no unknown letter, and minutes only after hours.
 */
export function describeDateFormatProblem(format: string): string | undefined {
  if (format.length > maxFormatCharacters) {
    return `is longer than ${maxFormatCharacters} characters: shorten it`;
  }
  const problem = findProblem(format);
  if (problem === undefined) return undefined;
  const meant = formatMeant(format);
  return `${problem.why}: ${findProblem(meant) === undefined ? `write ${meant}` : problem.hint}`;
}

function findProblem(format: string): { readonly why: string; readonly hint: string } | undefined {
  if (namedDateFormats.some((name) => name === format)) return undefined;
  const unquoted = format.replaceAll(/'[^']*'/g, " ");
  if (unquoted.includes("'"))
    return { why: "opens a quote (') that is never closed", hint: "close it" };
  const runs: readonly string[] = unquoted.match(/([A-Za-z])\1*/g) ?? [];
  const [unknown, ...more] = runs.filter((run) => !isField.test(run));
  if (unknown !== undefined) {
    const are = more.length === 0 ? "is no part" : "are no parts";
    const why = `has ${[...new Set([unknown, ...more])].join(", ")}, which ${are} of a date`;
    return { why, hint: `for letters that mean themselves, write '${unknown}'` };
  }
  const first = (letter: string) => runs.findIndex((run) => run.startsWith(letter));
  // A repeated field could be matched in endless ways.
  const again = runs.find((run, at) => first(run.charAt(0)) < at);
  if (again !== undefined) {
    const both = `${runs[first(again.charAt(0))]} and ${again}`;
    const why = `has ${both}, both for the ${meaningOf[again.charAt(0)]}`;
    return { why, hint: "keep one (MM is the month, mm are minutes)" };
  }
  // In `dd/mm/yyyy HH:MM` they have changed places with the month.
  const minutes = first("m");
  const isAfterHours = /^h/i.test(runs[minutes - 1] ?? "");
  if (minutes >= 0 && !isAfterHours) {
    const why = "has minutes (mm) that do not follow the hours";
    return { why, hint: "the month is MM; minutes stand after HH" };
  }
  const missing = ["y", "M", "d"].find((letter) => first(letter) < 0);
  if (missing !== undefined) {
    const hint = `add ${missing === "y" ? "yyyy" : missing.repeat(2)}`;
    return { why: `has no ${meaningOf[missing]}`, hint };
  }
  const [hasHalf, hasHour, hasHourOfHalf] = ["a", "H", "h"].map((letter) => first(letter) >= 0);
  if (hasHalf === hasHourOfHalf && !(hasHalf && hasHour)) return undefined;
  const why = "mixes the hours of a day (HH) with those of half a day (hh and a)";
  return { why, hint: "use HH, or hh with a" };
}

/** A format with the letters that are meant: `DD.MM.YYYY` with small ones, and MM and mm in each other's place. */
function formatMeant(format: string): string {
  let before = "";
  return format.replaceAll(/'[^']*'|([A-Za-z])\1*/g, (run, letter?: string) => {
    if (letter === undefined) return run;
    const isAfterHours = /h/i.test(before);
    before = letter;
    if (/m/i.test(letter)) return isAfterHours ? run.toLowerCase() : run.toUpperCase();
    return /[dy]/i.test(letter) ? run.toLowerCase() : run;
  });
}

/** A format with day and month in the other order; undefined if it shows which is which. */
export function inOtherOrder(format: string): string | undefined {
  const swapped = format.replace(/^(dd?|MM?)([/.-])(dd?|MM?)(?=\2)/, "$3$2$1");
  return swapped === format ? undefined : swapped;
}
