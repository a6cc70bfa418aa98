import { yesNoMeaning } from "../model/yes-no.ts";
import type { Counted, Way } from "./contract.ts";
import type { Path } from "./edit-yaml.ts";
import { asText, type Keys, keysOfSteps, type MemberKind, stepsOfMember } from "./mapping-table.ts";

export interface Choice {
  /** `31.05.2024` */
  readonly label: string;
  /** `dd.MM.yyyy`, or what the label does not show. */
  readonly note?: string;
  readonly isOn: boolean;
  readonly keys: Keys;
  /** What to count for its number of cells; absent where that says nothing. */
  readonly alone?: Keys;
  /** Whether only who has such cells wants to see it. */
  readonly isRare?: boolean;
  /** What the choice is called where it fixes something; absent if nobody would want it for that. */
  readonly fix?: string;
}

/** A member, or one that could be. */
export interface Read {
  readonly kind: MemberKind;
  readonly spec: Keys;
  readonly path?: Path;
}

export interface KnownCells {
  /** What a way reads; undefined as long as nobody knows. */
  count(way: Way): Counted | undefined;
  readonly ofTypes: readonly string[];
  /** The different cells with their numbers; none where there are too many. */
  readonly values: readonly (readonly [text: string, count: number])[];
}

/** What a member would read with other keys; undefined as long as nobody knows. */
export function counted({ path, spec }: Read, keys: Keys, known: KnownCells): Counted | undefined {
  return known.count(path === undefined ? { keys: { ...spec, ...keys } } : { path, keys });
}

/** The steps that change a text first, as a person sees them. */
const stepLabels = {
  trim: "no space around",
  collapse_spaces: "single spaces",
  lowercase: "lower case",
  uppercase: "UPPER CASE",
  title_case: "Title Case",
  digits_only: "digits only",
};

function stepChoices(member: Read): Choice[] {
  return Object.entries(stepLabels).map(([step, label]) =>
    stepChoice(member, step, label, step === "trim"),
  );
}

/** A choice of one step, which is the first or the last one. */
function stepChoice(member: Read, step: unknown, label: string, isFirst: boolean): Choice {
  const steps = stepsOfMember(member);
  const others = steps.filter((one) => JSON.stringify(one) !== JSON.stringify(step));
  const isOn = others.length < steps.length;
  const on = isFirst ? [step, ...others] : [...others, step];
  return { label, isOn, keys: keysOfSteps(isOn ? others : on) };
}

function repair(member: Read, step: unknown, label: string): Choice {
  return { ...stepChoice(member, step, label, true), fix: `Also accept ${label}` };
}

const replacing = (pattern: string, by: string) => ({ replace: { pattern, with: by } });
const atSign = replacing("(?i)\\s*[(\\[]at[)\\]]\\s*", "@");
const currency = replacing("^(?:\\p{Sc}|EUR|USD|CHF|GBP)\\s*|\\s*(?:\\p{Sc}|EUR|USD|CHF|GBP)$", "");

/** Whether a choice of the member says a step of it. */
export function isChosen(step: unknown, member: Read): boolean {
  const known = [atSign, currency, otherFraction(member)];
  return known.some((one) => JSON.stringify(one) === JSON.stringify(step));
}

const usualDays = [
  "yyyy-MM-dd",
  "dd.MM.yyyy",
  "dd/MM/yyyy",
  "MM/dd/yyyy",
  "dd-MM-yyyy",
  "yyyy/MM/dd",
];
const rareDays =
  "d.M.yyyy|d/M/yyyy|M/d/yyyy|yyyyMMdd|d MMM yyyy|d MMMM yyyy|MMM d, yyyy|excel_serial".split("|");

function dateChoices({ kind, spec }: Read): Choice[] {
  const formats = formatsOf({ spec });
  const times = usualDays.flatMap((day) => [`${day} HH:mm`, `${day} HH:mm:ss`]);
  const known = kind === "date" ? ["iso", ...usualDays.slice(1), ...rareDays] : ["iso", ...times];
  return [...new Set([...formats, ...known])].map((format, at) => {
    const isOn = formats.includes(format);
    const others = formats.filter((one) => one !== format && !areInOtherOrder(one, format));
    const next = isOn && others.length > 0 ? others : [...others, format];
    const [label, note] = [exampleOfFormat(format, kind), format === "iso" ? "" : format];
    const fix = `Also accept ${note || label}`;
    return { label, note, isOn, keys: formatKeys(next), alone: { format }, isRare: at > 3, fix };
  });
}

const exampleOfToken: Readonly<Record<string, string>> = {
  ...{ yyyy: "2024", yy: "24", MMMM: "May", MMM: "May", MM: "05", M: "5", dd: "31", d: "31" },
  ...{ HH: "14", H: "14", hh: "02", h: "2", mm: "30", ss: "00", a: "PM" },
};

function exampleOfFormat(format: string, kind: MemberKind): string {
  if (format === "iso") return kind === "date" ? "2024-05-31" : "2024-05-31T14:30";
  if (format === "excel_serial") return "45443";
  const example = /'([^']*)'|([A-Za-z])\2*/g;
  return format.replaceAll(example, (part, quoted) => quoted ?? exampleOfToken[part] ?? part);
}

export function formatsOf({ spec }: Pick<Read, "spec">): string[] {
  return [spec.format ?? "iso"].flat().map(String);
}

/** As few words as say it: ISO 8601 needs none. */
export function formatKeys(formats: readonly string[]): Keys {
  const [only, ...others] = formats;
  return { format: others.length > 0 ? formats : only === "iso" ? undefined : only };
}

/** Whether two formats may read one text as different days, of which a mapping may have one. */
function areInOtherOrder(one: string, other: string): boolean {
  const plain = (format: string) => format.replaceAll(/([dM])\1*/g, "$1");
  const swapped = plain(one).replace(/^([dM])(\W)([dM])/, "$3$2$1");
  return swapped !== plain(one) && swapped === plain(other);
}

/** How numbers are written, with what stands before a fraction and between thousands. */
const numberStyles = [
  ["1234.50", ".", ""],
  ["1234,50", ",", ""],
  ["1.234,50", ",", "."],
  ["1,234.50", ".", ","],
  ["1 234,50", ",", " "],
  ["1'234.50", ".", "'"],
] as const;
const wholeNumbers = ["", ".", ",", " ", "'"].map((sign) => [`1${sign}234`, "", sign] as const);

function numberChoices(member: Read): Choice[] {
  const { kind, spec } = member;
  const isWhole = kind === "integer";
  const sign = isWhole ? "" : asText(spec.decimal_separator) || ".";
  const [label, name] = sign === "," ? ["45.00", "a point"] : ["45,00", "a comma"];
  const also = stepChoice(member, otherFraction(member), label, false);
  const own = stepsOfMember(also.isOn ? { spec: also.keys } : member);
  const writings = (isWhole ? wholeNumbers : numberStyles).map(([label, fraction, thousands]) => {
    const isOn = sign === fraction && asText(spec.thousands_separator) === thousands;
    const decimal_separator = fraction === "," ? "," : undefined;
    const kept = also.isOn ? [otherFraction({ spec: { decimal_separator } })] : [];
    const keys = {
      decimal_separator,
      thousands_separator: thousands || undefined,
      ...keysOfSteps([...own, ...kept]),
    };
    return { label, isOn, keys, alone: keys, fix: `Read them like ${label}` };
  });
  const other = { ...also, note: `${name} too`, fix: `Also accept ${name}` };
  return [...writings, ...(isWhole ? [] : [other]), repair(member, currency, "120 €")];
}

function writtenLike(member: Read): string {
  return numberChoices(member).find(({ isOn }) => isOn)?.label ?? "1234.50";
}

/** A step by which a fraction behind the other sign is read too: 45.00 beside 45,00. */
function otherFraction({ spec }: Pick<Read, "spec">) {
  const [other, sign] = spec.decimal_separator === "," ? ["[.]", ","] : [",", "."];
  return replacing(`${other}(\\d{1,2})$`, `${sign}$1`);
}

/** What `type: boolean` reads by itself. */
const usual = { true_values: ["true", "yes", "y", "1"], false_values: ["false", "no", "n", "0"] };

export function flagWordsOf({ spec }: Pick<Read, "spec">) {
  const of = (key: keyof typeof usual) => [spec[key] ?? usual[key]].flat().map(String);
  return { yes: of("true_values"), no: of("false_values") };
}

export const listSigns: readonly (readonly [sign: string, name: string])[] = [
  [",", "comma"],
  [";", "semicolon"],
  ["/", "slash"],
  ["|", "bar"],
  ["\n", "a line break"],
];

/** What the page says of the members of a kind: in their editor, beside their column, and of cells that are none. */
interface About {
  readonly label: string;
  readonly legend?: readonly [legend: string, note: string];
  choices?(member: Read): readonly Choice[];
  how?(member: Read): string;
  whyNot?(member: Read): string;
  /** The keys to begin with where nobody has proposed any. */
  first?(known: KnownCells): Keys;
}

const readable = "the numbers are cells that each can read";
const textWays: Omit<About, "label"> = {
  legend: ["Tidy it first", ""],
  choices: stepChoices,
  how: (member) =>
    stepsOfMember(member)
      .flatMap((step) =>
        step === "trim" ? [] : (stepLabels[step as keyof typeof stepLabels] ?? []),
      )
      .join(", "),
};
const examplesOfFormats = (member: Read) =>
  formatsOf(member).map((format) => exampleOfFormat(format, member.kind));
const date: Omit<About, "label"> = {
  legend: ["Dates may be written as", readable],
  choices: dateChoices,
  how: (member) => `like ${examplesOfFormats(member).join(", ")}`,
  whyNot: (member) => `Not like ${examplesOfFormats(member).join(" or ")}:`,
};
const numberWays: Omit<About, "label"> = {
  legend: ["Numbers are written as", readable],
  choices: numberChoices,
  how: (member) => `like ${writtenLike(member)}`,
  whyNot: (member) => `Not like ${writtenLike(member)}:`,
};

/** What a column can become, in plain words. `other` is what only the text can say. */
export const aboutKinds: Readonly<Record<MemberKind, About>> = {
  text: { label: "Text", ...textWays },
  email: {
    label: "E-mail",
    ...textWays,
    choices: (member) => [...stepChoices(member), repair(member, atSign, "ada(at)x.org")],
    whyNot: () => "Not e-mail addresses:",
  },
  url: { label: "Web address", ...textWays, whyNot: () => "Not web addresses:" },
  integer: { label: "Whole number", ...numberWays },
  number: { label: "Number", ...numberWays },
  decimal: { label: "Exact number", ...numberWays },
  date: { label: "Date", ...date },
  datetime: { label: "Date and time", ...date },
  boolean: {
    label: "Yes / no",
    how(member) {
      const { yes, no } = flagWordsOf(member);
      return `yes: ${yes.join(", ")}; no: ${no.join(", ")}`;
    },
    whyNot: () => "Neither yes nor no so far:",
    first({ values }) {
      const all = [...new Set(values.map(([word]) => word.toLowerCase()))];
      const of = (side: "yes" | "no") => all.filter((word) => yesNoMeaning(word) === side);
      const isUsual = all.every((word) => Object.values(usual).flat().includes(word));
      if (isUsual || of("yes").length === 0 || of("no").length === 0) return {};
      return { true_values: of("yes"), false_values: of("no") };
    },
  },
  choice: {
    label: "Choice",
    how: ({ spec }) => [...new Set(Object.values(Object(spec.map)))].join(", "),
    whyNot: () => "Not among the choices:",
    first: ({ values }) => ({ map: Object.fromEntries(values.map(([cell]) => [cell, cell])) }),
  },
  list: {
    label: "List",
    legend: ["Between the items stands", ""],
    choices: ({ spec }) =>
      listSigns.map(([sign, name]) => {
        const shown = sign === "\n" ? { label: name } : { label: sign, note: name };
        return { ...shown, isOn: spec.separator === sign, keys: { separator: sign } };
      }),
    how({ spec }) {
      const sign = asText(spec.separator);
      return `${listSigns.find(([one]) => one === sign)?.[1] ?? sign} between items`;
    },
    first({ values }) {
      const found = listSigns.map(
        ([sign]) => values.filter(([cell]) => cell.includes(sign)).length,
      );
      return { separator: listSigns[found.indexOf(Math.max(...found))]?.[0] };
    },
  },
  json: { label: "JSON as it is" },
  other: { label: "" },
};

/** The choice by which most of the cells are read that are not read now; none, or pending as long as counts are missing. */
export function bestChoice(member: Read, known: KnownCells) {
  const misfits = (keys: Keys) => {
    const found = counted(member, keys, known);
    if (found === undefined) return Number.NaN;
    return "misfits" in found ? found.misfits : Number.POSITIVE_INFINITY;
  };
  const now = misfits({});
  if (now === 0) return "none";
  // All are asked for at once, also where it is not known how it is now.
  const choices = aboutKinds[member.kind].choices?.(member) ?? [];
  const off = choices.filter(({ isOn, fix }) => !isOn && fix !== undefined);
  const gains = off.map((choice) => ({ choice, gain: now - misfits(choice.keys) }));
  if (gains.some(({ gain }) => Number.isNaN(gain))) return "pending";
  const best = gains.toSorted((a, b) => b.gain - a.gain)[0];
  return best === undefined || best.gain <= 0 ? "none" : best;
}
