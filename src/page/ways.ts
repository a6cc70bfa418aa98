import { yesAndNo } from "../model/yes-no.ts";
import type { Counted, Way } from "./contract.ts";
import { type Keys, type Kind, keysOfKind, keysOfSteps, type Member } from "./mapping-table.ts";

/** How cells can be written, as a person sees it and as a mapping says it. */
export interface Writing {
  /** `31.05.2024` */
  readonly example: string;
  /** `dd.MM.yyyy`, or what an example does not show. */
  readonly note: string;
  readonly keys: Keys;
}

/** What a way reads; undefined as long as nobody knows. */
export type Count = (way: Way) => Counted | undefined;

/** What is known of the cells of a column, for what could be read of them. */
export interface Known {
  readonly count: Count;
  readonly ofTypes: readonly string[];
  /** The different cells with their numbers; none where there are too many. */
  readonly values: readonly (readonly [text: string, count: number])[];
}

const days =
  "yyyy-MM-dd dd.MM.yyyy dd/MM/yyyy MM/dd/yyyy dd-MM-yyyy yyyy/MM/dd d.M.yyyy d/M/yyyy M/d/yyyy yyyyMMdd";
const named = ["d MMM yyyy", "d MMMM yyyy", "MMM d, yyyy"];
const times = ["HH:mm", "HH:mm:ss"];

/** The formats of dates that a person can choose; of days first the usual ones. */
export function dateFormats(kind: Kind): string[] {
  const ofDay = [...days.split(" "), ...named];
  if (kind === "date") return ["iso", ...ofDay.slice(1), "excel_serial"];
  return ["iso", ...ofDay.slice(0, 6).flatMap((day) => times.map((time) => `${day} ${time}`))];
}

const parts: Readonly<Record<string, string>> = {
  ...{ yyyy: "2024", yy: "24", MMMM: "May", MMM: "May", MM: "05", M: "5", dd: "31", d: "31" },
  ...{ HH: "14", H: "14", hh: "02", h: "2", mm: "30", ss: "00", a: "PM" },
};

/** What a date in a format looks like. */
export function exampleOf(format: string, kind: Kind): string {
  if (format === "iso") return kind === "date" ? "2024-05-31" : "2024-05-31T14:30";
  if (format === "excel_serial") return "45443";
  return format.replaceAll(
    /'([^']*)'|([A-Za-z])\2*/g,
    (part, quoted) => quoted ?? parts[part] ?? part,
  );
}

export function formatsOf({ spec }: Pick<Member, "spec">): string[] {
  return [spec.format ?? "iso"].flat().map(String);
}

function plain(format: string): string {
  return format.replaceAll(/([dM])\1*/g, "$1");
}

/** Whether two formats differ in zeros only, which they need not have. */
export function areAlike(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

/** Whether two formats may read one text as different days, of which a mapping may have one. */
export function areInOtherOrder(one: string, other: string): boolean {
  const swapped = plain(one).replace(/^([dM])(\W)([dM])/, "$3$2$1");
  return swapped !== plain(one) && swapped === plain(other);
}

const separators = "decimal_separator";
const grouping = "thousands_separator";

/** The ways to write numbers. The last two have no fractions. */
export const numberWritings: readonly Writing[] = [
  { example: "1234.50", note: "point", keys: {} },
  { example: "1234,50", note: "comma", keys: { [separators]: "," } },
  { example: "1.234,50", note: "comma", keys: { [separators]: ",", [grouping]: "." } },
  { example: "1,234.50", note: "point", keys: { [grouping]: "," } },
  { example: "1 234,50", note: "comma", keys: { [separators]: ",", [grouping]: " " } },
  { example: "1'234.50", note: "point", keys: { [grouping]: "'" } },
];
const wholeWritings: readonly Writing[] = [
  { example: "1234", note: "", keys: {} },
  ...([".", ",", " ", "'"] as const).map((mark) => ({
    example: `1${mark}234`,
    note: "",
    keys: { [grouping]: mark },
  })),
];

export function writingsOf(kind: Kind): readonly Writing[] {
  return kind === "integer" ? wholeWritings : numberWritings;
}

/** Whether a member says of its numbers what a writing says. */
export function isWritten({ spec }: Pick<Member, "spec">, { keys }: Writing): boolean {
  const of = (from: Keys, key: string) => from[key] ?? (key === separators ? "." : "");
  return [separators, grouping].every((key) => of(spec, key) === of(keys, key));
}

/** What the numbers of a member look like. */
export function writtenLike(member: Pick<Member, "spec" | "kind">): string {
  return writingsOf(member.kind).find((one) => isWritten(member, one))?.example ?? "1234.50";
}

/** A step by which a fraction behind the other sign is read too: 45.00 beside 45,00. */
export function otherFraction({ spec }: Pick<Member, "spec">) {
  const [other, sign] = spec[separators] === "," ? ["[.]", ","] : [",", "."];
  return { replace: { pattern: `${other}(\\d{1,2})$`, with: `${sign}$1` } };
}

/** What `type: boolean` reads by itself. */
const usual = { true_values: ["true", "yes", "y", "1"], false_values: ["false", "no", "n", "0"] };

/** The words for yes and no of a member. */
export function wordsOf({ spec }: Pick<Member, "spec">) {
  const of = (key: keyof typeof usual) => [spec[key] ?? usual[key]].flat().map(String);
  return { yes: of("true_values"), no: of("false_values") };
}

/** What a word means in any language: yes, no, or nobody knows. */
export function meaningOf(word: string): "yes" | "no" | undefined {
  const plain = word.trim().toLowerCase();
  const of = (side: 0 | 1) => yesAndNo.some((pair) => pair[side] === plain) || plain === "10"[side];
  const [isYes, isNo] = [of(0), of(1)];
  return isYes === isNo ? undefined : isYes ? "yes" : "no";
}

export const listSigns: readonly (readonly [sign: string, name: string])[] = [
  ...([
    [",", "comma"],
    [";", "semicolon"],
    ["/", "slash"],
    ["|", "bar"],
  ] as const),
  ["\n", "a line break"],
];

/** The keys that read most cells of a column as a kind; undefined as long as counts are missing. */
export function bestKeys(kind: Kind, column: string, known: Known): Keys | undefined {
  const { values, ofTypes } = known;
  const { count } = known;
  const best = (all: readonly Keys[]) =>
    fewestMisfits(all, (keys) => count({ keys: { column, ...keysOfKind(kind, keys, ofTypes) } }));
  switch (kind) {
    case "date":
    case "datetime": {
      let found: string[] = [];
      for (;;) {
        const others = dateFormats(kind).filter(
          (one) => !found.includes(one) && !found.some((had) => areInOtherOrder(one, had)),
        );
        const more = best(
          [found, ...others.map((one) => [...found, one])].flatMap((list) =>
            list.length === 0 ? [] : { format: list.length === 1 ? list[0] : list },
          ),
        );
        if (more === undefined) return undefined;
        const formats = [more.format].flat() as string[];
        if (formats.length === found.length || formats.length === maxFormats)
          return formatKeys(formats);
        found = formats;
      }
    }
    case "integer":
    case "number":
    case "decimal": {
      const keys = best(writingsOf(kind).map((writing) => writing.keys));
      if (keys === undefined || kind === "integer") return keys;
      return best([keys, { ...keys, ...keysOfSteps([otherFraction({ spec: keys })]) }]);
    }
    case "boolean": {
      const all = [...new Set(values.map(([text]) => text.toLowerCase()))];
      const of = (side: "yes" | "no") => all.filter((word) => meaningOf(word) === side);
      const isUsual = all.every((word) => Object.values(usual).flat().includes(word));
      if (isUsual || of("yes").length === 0 || of("no").length === 0) return {};
      return { true_values: of("yes"), false_values: of("no") };
    }
    case "choice":
      return { map: Object.fromEntries(values.map(([text]) => [text, text])) };
    case "list": {
      const found = listSigns.map(
        ([sign]) => values.filter(([text]) => text.includes(sign)).length,
      );
      return { separator: listSigns[found.indexOf(Math.max(...found))]?.[0] };
    }
    default:
      return {};
  }
}

const maxFormats = 4;

/** As few words as say it: ISO 8601 needs none. */
export function formatKeys(formats: readonly string[]): Keys {
  const [only, ...others] = formats;
  return { format: others.length > 0 ? formats : only === "iso" ? undefined : only };
}

/** The first of the keys with the fewest misfits; undefined as long as a count is missing. */
function fewestMisfits(
  all: readonly Keys[],
  count: (keys: Keys) => Counted | undefined,
): Keys | undefined {
  const counts = all.map(count);
  if (counts.includes(undefined)) return undefined;
  const misfits = counts.map((one) =>
    one && "misfits" in one ? one.misfits : Number.POSITIVE_INFINITY,
  );
  return all[misfits.indexOf(Math.min(...misfits))];
}
