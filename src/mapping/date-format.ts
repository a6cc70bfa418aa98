/** Date formats that are a name instead of fields. */
const namedDateFormats = ["iso", "excel_serial", "X", "x"] as const;

/** Luxon's fields, without those that are ambiguous or cannot be parsed. */
const fields =
  "y{4}(?!y)|yy(?!y)|M{1,4}(?!M)|d{1,2}(?!d)|E{3,4}(?!E)|H{1,2}(?!H)|h{1,2}(?!h)|m{1,2}(?!m)|s{1,2}(?!s)|SSS(?!S)|u(?!u)|a(?!a)|Z{1,3}(?!Z)|z(?!z)";
/** Any text before what follows; quoted text is skipped as a whole. */
const upTo = "(?:'[^']*'|[^'])*?";
const halfDays = `(?:(?=${upTo}a)(?=${upTo}h)(?!${upTo}H)|(?!${upTo}[ah]))`;

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
  z: "zone",
};
/** Minutes follow hours: in `dd/mm/yyyy HH:MM` they have changed places with the month. */
const minutesAfterHours = `(?!(?:${upTo}[A-GI-Zac-gi-ln-z])?(?:'[^']*'|[^A-Za-z'])*m)`;
/** A repeated field could be matched in endless ways. */
const noFieldTwice = Object.keys(meaningOf)
  .map((letter) => `(?!${upTo}${letter}(?:'[^']*'|[^'${letter}])${upTo}${letter})`)
  .join("");

/** Longer than any real format. Luxon builds a regular expression from it. */
export const maxFormatCharacters = 200;

/**
 * The form of a date format: it has year, month and day, no field twice, no unknown letter, and minutes only
 * after hours.
 */
export const dateFormatPattern = `^(?:${namedDateFormats.join("|")}|${minutesAfterHours}${noFieldTwice}(?=${upTo}y)(?=${upTo}M)(?=${upTo}d)${halfDays}(?:'[^']*'|${fields}|[^A-Za-z'])+)$`;

const isDateFormat = new RegExp(dateFormatPattern);

/** What is wrong with a date format, and the fix; undefined if it is valid. */
export function describeDateFormatProblem(format: string): string | undefined {
  if (format.length > maxFormatCharacters && [...format].length > maxFormatCharacters) {
    return `is longer than ${maxFormatCharacters} characters: shorten it`;
  }
  if (isDateFormat.test(format)) return undefined;
  const unquoted = format.replaceAll(/'[^']*'/g, " ");
  if (unquoted.includes("'")) return "opens a quote (') that is never closed";
  const runs = unquoted.match(/([A-Za-z])\1*/g) ?? [];
  const unknown = runs.filter((run) => !new RegExp(`^(?:${fields})$`).test(run));
  if (unknown.length > 0) {
    const [first = ""] = unknown;
    const known = unknown.filter((run) => meanings[run.charAt(0)] !== undefined);
    const names = [...new Set(known.includes(first) ? known : [first])];
    const hints = names.map(
      (run) => meanings[run.charAt(0)] ?? `for the letters themselves, write '${run}'`,
    );
    const are = names.length === 1 ? "is no part" : "are no parts";
    return `has ${names.join(" and ")}, which ${are} of a date; ${hints.join(", and ")}`;
  }
  const ofLetter = new Map<string, string>();
  for (const run of runs) {
    const letter = run.charAt(0);
    const other = ofLetter.get(letter);
    if (other !== undefined) {
      const both = other === run ? `${run} twice` : `both ${other} and ${run}`;
      const hint = /m/i.test(letter) ? " (MM is the month, mm are minutes)" : "";
      return `has ${both} for the ${meaningOf[letter]}: keep one${hint}`;
    }
    ofLetter.set(letter, run);
  }
  const has = (letter: string) => runs.some((run) => run.startsWith(letter));
  if (!has("y")) return "has no year: add yyyy";
  if (!has("M")) {
    return has("m") ? "has no month: write MM (mm are minutes)" : "has no month: add MM";
  }
  if (!has("d")) return "has no day: add dd";
  const beforeMinutes = runs[runs.findIndex((run) => run.startsWith("m")) - 1] ?? "";
  if (has("m") && !/^h/i.test(beforeMinutes)) return describeMinutes(format, has("H") || has("h"));
  return "mixes the hours of a day (HH) with those of half a day (hh and a): use HH, or hh with a";
}

function describeMinutes(format: string, hasHours: boolean): string {
  if (!hasHours) return "has minutes (mm) and no hours: add HH before them";
  const swapped = format.replaceAll(/'[^']*'|[mM]+/g, (run) => {
    if (!/^[mM]/.test(run)) return run;
    return run.startsWith("m") ? run.toUpperCase() : run.toLowerCase();
  });
  const wrong = "has minutes (mm) that do not follow the hours";
  return isDateFormat.test(swapped)
    ? `${wrong}, where the month (MM) belongs: write ${swapped}`
    : `${wrong}: write HH:mm for the time`;
}

/** A format with day and month in the other order; undefined if it shows which is which. */
export function inOtherOrder(format: string): string | undefined {
  const swapped = format.replace(/^(dd?|MM?)([/.-])(dd?|MM?)(?=\2)/, "$3$2$1");
  return swapped === format ? undefined : swapped;
}

const meanings: Readonly<Record<string, string>> = {
  D: "write dd for the day",
  E: "write EEE or EEEE for the day of the week",
  M: "write MM, MMM or MMMM for the month",
  S: "write SSS for milliseconds",
  T: "for the letter itself, write 'T'",
  Y: "write yyyy for the year",
  d: "write dd for the day",
  y: "write yyyy for the year",
};
