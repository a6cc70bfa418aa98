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

/** What is wrong with a date format, and the one that is meant; undefined if it is valid. */
export function describeDateFormatProblem(format: string): string | undefined {
  if (format.length > maxFormatCharacters && [...format].length > maxFormatCharacters) {
    return `is longer than ${maxFormatCharacters} characters: shorten it`;
  }
  if (isDateFormat.test(format)) return undefined;
  const unquoted = format.replaceAll(/'[^']*'/g, " ");
  if (unquoted.includes("'")) return "opens a quote (') that is never closed";
  const { why, hint } = findProblem(unquoted.match(/([A-Za-z])\1*/g) ?? []);
  const meant = formatMeant(format);
  return `${why}: ${isDateFormat.test(meant) ? `write ${meant}` : hint}`;
}

/** @param runs the letters of a format that is not valid */
function findProblem(runs: readonly string[]): { readonly why: string; readonly hint: string } {
  const [unknown, ...more] = runs.filter((run) => !new RegExp(`^(?:${fields})$`).test(run));
  if (unknown !== undefined) {
    const are = more.length === 0 ? "is no part" : "are no parts";
    const why = `has ${[...new Set([unknown, ...more])].join(", ")}, which ${are} of a date`;
    return { why, hint: `for letters that mean themselves, write '${unknown}'` };
  }
  const first = (letter: string) => runs.findIndex((run) => run.startsWith(letter));
  const again = runs.find((run, at) => first(run.charAt(0)) < at);
  if (again !== undefined) {
    const both = `${runs[first(again.charAt(0))]} and ${again}`;
    const why = `has ${both}, both for the ${meaningOf[again.charAt(0)]}`;
    return { why, hint: "keep one (MM is the month, mm are minutes)" };
  }
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
  const why = "mixes the hours of a day (HH) with those of half a day (hh and a)";
  return { why, hint: "use HH, or hh with a" };
}

/**
 * A format with the letters that are meant: MM and mm in each other's place, and those of other programs, such as
 * `DD.MM.YYYY`, `d/m/Y H:i` and `%d/%m/%Y`.
 */
function formatMeant(format: string): string {
  const isHalfDay = /(?<![A-Za-z'])(?:a|A|tt)(?![A-Za-z'])/.test(format);
  let before = "";
  return format.replaceAll("%", "").replaceAll(/'[^']*'|([A-Za-z])\1*/g, (run, letter?: string) => {
    if (letter === undefined) return run;
    const isAfterHours = before === "h";
    before = letter.toLowerCase();
    switch (before) {
      case "y":
        return run === "y" || run.length === 2 ? "yy" : "yyyy";
      case "d":
        return run.toLowerCase();
      case "m":
        return isAfterHours ? run.toLowerCase() : run.toUpperCase();
      case "i":
        return "mm";
      case "h":
        return isHalfDay ? run.toLowerCase() : run.toUpperCase();
      case "s":
        return run.length === 3 ? run : run.toLowerCase();
      case "a":
        return "a";
      case "t":
        return run === "tt" ? "a" : `'${run}'`;
      default:
        return run;
    }
  });
}

/** A format with day and month in the other order; undefined if it shows which is which. */
export function inOtherOrder(format: string): string | undefined {
  const swapped = format.replace(/^(dd?|MM?)([/.-])(dd?|MM?)(?=\2)/, "$3$2$1");
  return swapped === format ? undefined : swapped;
}
