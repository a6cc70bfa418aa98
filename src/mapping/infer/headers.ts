import { normalized } from "../../model/escape-text.ts";
import { foldHeader, withoutSpaces } from "./fold-header.ts";
import { areYesAndNo } from "./forms.ts";
import {
  isSecret,
  type Kind,
  kindOfMember,
  kindOfWords,
  meaningsOf,
  personWords,
  productOf,
  sensitiveOf,
  type Table,
} from "./vocabulary.ts";

/** What a header says of its column. */
export interface Recognised {
  /** The name of the member, before duplicates get numbers; blank if the header has no letters. */
  readonly member: string;
  readonly kind: Kind | undefined;
  /** Whether the member is a known one. Else it has the words of the header. */
  readonly isKnown: boolean;
  /** The words of the header themselves, for columns that would have one name. */
  readonly ownMember: string;
  /** Whether a prefix of the header was left out. */
  readonly isShortened?: true;
  /** Why the member is not named after what the header says. */
  readonly doubt?: string;
}

/** A column of a table, with its cells that are not blank. */
export interface RecognisedColumn {
  readonly column: string;
  readonly cells: readonly string[];
  readonly recognised: Recognised;
}

/** What the headers of a file say together. */
export interface HeaderRow {
  readonly headers: readonly Recognised[];
  /** Whether it is in a language whose countries write the day first. */
  readonly isDayFirst: boolean;
}

/** What a row of headers decides for each of them. */
interface Context {
  readonly spoken: readonly string[];
  readonly product: Table | undefined;
  /** The words that nearly all headers begin with. */
  readonly prefixes: readonly string[];
  /** What the people are called that the rows are about, if all headers call them the same. */
  readonly person: string | undefined;
}

/** How the cells are to be written, in parentheses: a date, a flag, a list, and whether they may be blank. */
const formatHint =
  /\((?:[ymdtj]{1,4}[-/. ][ymdtj]{1,4}[-/. ][ymdtj]{2,4}|0\s?[/|]\s?1|x, ?y[^()]*|optional|required|文本|数字|整数|小数|日期|必填|选填)\)\s*$/i;

/** What database columns end with, and the word that it stands for; blank for none. */
const endings = new Map(
  "addr:address amt:amount cd:code dt:date dte:date flg:flag nbr:number nm:name ts:timestamp txt:"
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);

/** What the columns of dumps and exports begin with, although the rows are about nothing else. */
const usualPrefixes = ["cust", "user", "usr", "fld", "tbl", "default address", "mailing"];

/** Recognises what columns are about by their headers, which have a language, and perhaps a program, in common. */
export function recogniseHeaders(columns: readonly string[]): HeaderRow {
  // Salesforce ends the columns that its users have added so.
  const folded = columns.map((header) =>
    foldHeader(
      normalized(header, "NFKC")
        .replace(/__c\s*$/i, "")
        .replace(formatHint, ""),
    ),
  );
  const spoken = languagesOf(folded);
  const product = productOf(folded);
  const person = personOf(folded);
  const alone = { spoken, product, prefixes: [], person };
  const context = { ...alone, prefixes: [...usualPrefixes, ...sharedPrefix(folded, alone)] };
  const headers = folded.map((header): Recognised => {
    const ownMember = memberOf(header);
    return { ...recogniseFolded(header, context), ownMember };
  });
  const isDayFirst = spoken.length > 0 && !spoken.some((one) => !isDayFirstLanguage(one));
  return { headers: withNameParts(headers), isDayFirst };
}

/** The word for a person that begins or ends headers, if there is one and no other. */
function personOf(folded: readonly string[]): string | undefined {
  const found = folded.flatMap((header) => {
    const words = header.split(" ");
    return words.length === 1 ? [] : [words[0] ?? "", words.at(-1) ?? ""];
  });
  const [person, ...others] = new Set(found.filter((word) => personWords.has(word)));
  return others.length === 0 ? person : undefined;
}

function isDayFirstLanguage(language: string): boolean {
  return !/English|Chinese|Japanese|Korean|Hungarian/.test(language);
}

/**
 * The languages of a header row: those that know most of its headers, and others that know two more. Words of one or
 * two letters show no language.
 */
function languagesOf(folded: readonly string[]): string[] {
  const columns = folded.map((header) => {
    const isShort = /^[a-z]{1,2}$/.test(withoutSpaces(header));
    return isShort ? [] : meaningsOf(header).filter(({ member }) => member !== undefined);
  });
  const spoken: string[] = [];
  for (let least = 1; ; least = 2) {
    const left = columns.filter((all) => !all.some(({ language }) => spoken.includes(language)));
    const counts = new Map<string, number>();
    for (const { language } of left.flat()) counts.set(language, (counts.get(language) ?? 0) + 1);
    const most = Math.max(0, ...counts.values());
    if (most < least) return spoken;
    // At first, languages that know as many can be told by nothing.
    const best = [...counts].filter(([, count]) => count === most).map(([language]) => language);
    spoken.push(...(spoken.length === 0 ? best : best.slice(0, 1)));
  }
}

type Meaning = Omit<Recognised, "ownMember">;

function recogniseFolded(folded: string, context: Context): Meaning {
  const whole = recogniseWords(folded, context);
  if (whole.isKnown || isSecret(whole.kind)) return whole;
  const { person, prefixes } = context;
  const rest = person && folded.replace(new RegExp(`^${person} | ${person}$`), "");
  if (rest !== undefined && rest !== folded) {
    // The id of a person, and how many there are, are nothing without the person.
    const of = recogniseWords(endings.get(rest) || rest, context);
    if (of.isKnown && of.kind !== "id") return { ...of, isShortened: true };
  }
  const prefix = prefixes.find((one) => folded.startsWith(`${one} `));
  if (prefix === undefined) return whole;
  const after = folded.slice(prefix.length + 1);
  // What stands before a number is what is counted.
  if (/^(\d|(id|no|nr|nbr|num|number|key)$)/.test(after)) return whole;
  const shortened = recogniseWords(endings.get(after) || after, context);
  return shortened.member === "" ? whole : { ...shortened, isShortened: true };
}

/** Words beside a secret that say that the column holds none. */
const aboutSecrets =
  /^(has|is) |\b(at|date|count|changed|expires|expired|consent|reset required|attempts)\b/;

function recogniseWords(folded: string, context: Context): Meaning {
  const last = folded.slice(folded.lastIndexOf(" ") + 1);
  const { spoken } = context;
  const mayBeShort = folded !== last && (spoken.length === 0 || spoken.includes("English"));
  const ending = mayBeShort ? endings.get(last) : undefined;
  const before = folded.slice(0, -last.length - 1);
  const expanded = ending === undefined ? folded : `${before} ${ending}`.trim();
  const sensitive = aboutSecrets.test(folded) ? undefined : sensitiveOf(folded, context.product);
  if (sensitive !== undefined) {
    return { member: memberOf(expanded), kind: sensitive, isKnown: false };
  }
  const dropped = ending === undefined || /amount|code/.test(ending) ? [] : [before];
  for (const spelling of [folded, expanded, ...dropped, ...inOneScript(folded)]) {
    const member = known(spelling, context) ?? knownNumbered(spelling, context);
    if (member !== undefined) {
      const words = isOfProduct(spelling, context) ? member.replaceAll("_", " ") : "";
      const kind = kindOfMember(member) ?? kindOfWords(words, ["English"]) ?? "text";
      return { member, kind, isKnown: true };
    }
  }
  return { member: memberOf(expanded), kind: kindOf(expanded, last, context), isKnown: false };
}

/** The member that a whole header means: in the program, in the row's languages, in English, or in nobody's way. */
function known(folded: string, { spoken, product }: Context): string | undefined {
  const ofProduct = product?.meanings.get(withoutSpaces(folded));
  if (ofProduct !== undefined) return ofProduct;
  const all = meaningsOf(folded);
  for (const one of [...spoken, "English"]) {
    const found = all.find(({ language }) => language === one);
    if (found !== undefined) return found.member;
  }
  const [first, ...others] = all;
  const isInTheWay =
    spoken.some((one) => one !== "English") ||
    others.some(({ member }) => member !== first?.member);
  return isInTheWay ? undefined : first?.member;
}

function isOfProduct(folded: string, { product }: Context): boolean {
  return product?.meanings.has(withoutSpaces(folded)) === true;
}

/** Of "姓名 Name", each part; "ID" says too little. */
function inOneScript(folded: string): string[] {
  const latin = folded.replaceAll(/[^\p{Script=Latin}\d ]+/gu, "").trim();
  const other = folded.replaceAll(/\p{Script=Latin}+/gu, "").trim();
  if (latin === "" || other === "") return [];
  return latin.length < 4 ? [other] : [other, latin];
}

function kindOf(folded: string, last: string, { spoken }: Context): Kind | undefined {
  // Without a header, columns are called by their numbers.
  if (/^\d+$/.test(folded)) return "code";
  const [, rest = ""] = /^id(\p{L}{3,})$/u.exec(folded) ?? [];
  if (rest !== "" && meaningsOf(rest).length > 0) return "id";
  // LEISTUNGSID, 产品ID and the like.
  if (/(?:\w{4}(?<!pa|val|cov|hybr|andro)|\P{ASCII} ?)id$/u.test(folded)) return "id";
  const kind = kindOfWords(folded, spoken);
  if (kind !== "flag" || /^(is|has|do|does|can|opt|accepts|wants)\b/.test(folded)) return kind;
  // "Verified phone" is a phone, "phone verified" is not.
  const ofLast = kindOfWords(last, spoken);
  return ofLast === "phone" || ofLast === "id" || ofLast === "postal_code" ? ofLast : kind;
}

/** Google writes "E-mail 2 - Value", Outlook "E-mail 2 Address". */
function knownNumbered(folded: string, context: Context): string | undefined {
  const words = folded.split(" ");
  const numbers = words.filter((word, at) => at > 0 && /^\d{1,2}$/.test(word));
  const [number] = numbers;
  if (numbers.length > 1) return undefined;
  const plain = words.filter((word) => word !== number).join(" ");
  const member = known(plain.replace(/ value$/, ""), context);
  if (member === undefined) return undefined;
  return number === undefined || number === "1" ? member : `${member}_${number}`;
}

/**
 * The word that nearly all headers of a file begin with, if it says whose they are: after it, some are known.
 * What columns such as `score_math` and `score_art` begin with says what they hold.
 */
function sharedPrefix(folded: readonly string[], context: Context): string[] {
  const isShared = (word: string) => {
    const rests = folded.filter((one) => one.startsWith(`${word} `));
    const all = rests.filter((one) => recogniseWords(one.slice(word.length + 1), context).isKnown);
    return rests.length >= Math.max(4, folded.length * 0.8) && all.length >= 2;
  };
  // Of a word that so many begin with, the first or the last is one.
  const words = [folded.at(0), folded.at(-1)].map((one = "") => one.split(" ")[0] ?? "");
  return words.filter(isShared).slice(0, 1);
}

/** Says what a word that can be a whole name or a part of one is, by the columns beside it. */
function withNameParts(headers: readonly Recognised[]): Recognised[] {
  const has = (part: string) => headers.some(({ member }) => member === part);
  const hasFirst = has("first_name") || has("given_or_name");
  const hasLast = has("last_name");
  return headers.map((header) => {
    const { member } = header;
    const isGiven = member === "given_or_name";
    if (!isGiven && member !== "family_or_name") return header;
    const isPart = isGiven ? hasLast || has("family_or_name") : hasFirst && !hasLast;
    return { ...header, member: !isPart ? "name" : isGiven ? "first_name" : "last_name" };
  });
}

/**
 * A column called "Email ID" holds addresses or numbers of something else, one called "url" may hold the
 * address of the record in an API, which is nobody's website, and one called "Cargo" with numbers no job.
 */
export function recogniseByCells(recognised: Recognised, cells: readonly string[]): Recognised {
  const [first = ""] = cells;
  const { member, ownMember, kind, isKnown } = recognised;
  if (member === "website" && /^https?:\/\/[^/]+\/api\//.test(first)) {
    return { ...recognised, member: ownMember, isKnown: false };
  }
  if (member === "email_id") {
    const isAddress = first.includes("@");
    return isAddress
      ? { ...recognised, member: "email", kind: "email", isKnown: true }
      : { ...recognised, kind: "id" };
  }
  // "Clave" is a key in Mexico, as a password is in Spain.
  const areOfRows = cells.length > 1 && cells.every((cell, at) => cell === String(at + 1));
  if (kind === "password" && areOfRows) return { ...recognised, kind: "id" };
  const isNumbered = kind === "national_id" || kind === "bank";
  // Days are "dni" in Polish, as a document is in Spanish.
  if (isNumbered && cells.filter(isShort).length * 2 > cells.length) {
    return { ...recognised, kind: undefined };
  }
  if (kind !== "text" || !isKnown || first === "") return recognised;
  const doubt = whyNot(member, cells);
  if (doubt === undefined || (member === ownMember && doubt !== "flags")) return recognised;
  return {
    ...{ member: ownMember, ownMember, kind: undefined, isKnown: false },
    doubt: `the header suggests ${member}, but the cells do not`,
  };
}

/** No account, card or document has so short a number. */
function isShort(cell: string): boolean {
  return cell.trim().length < 4;
}

/** What the cells of a column are that has the name of a text. */
function whyNot(
  member: string,
  cells: readonly string[],
): "flags" | "status" | "numbers" | undefined {
  const words = new Set(cells.map((cell) => cell.trim().toLowerCase()));
  if (words.size > 1 && areYesAndNo([...words])) return "flags";
  // "Estado" is a state, or whether somebody is active, or how something is.
  const isStatus = (cell: string) => /^\s*(in)?a(c?ti?[vf]|kty)[a-z]*\b/i.test(cell);
  if (member === "state" && cells.some(isStatus)) return "status";
  const mayBeNumbers = /^(address|address_line_2|house_number)$/.test(member);
  const areNumbers = cells.every((cell) => /^\s*-?[\d.,]+\s*$/.test(cell));
  return areNumbers && !mayBeNumbers ? "numbers" : undefined;
}

/** The order of day and month that a header names, such as "Born (DD/MM/YYYY)". */
export function dayOrderIn(header: string): "day_first" | "month_first" | undefined {
  const [, first] =
    /(?:^|[^a-z])([dtm])[dtm]?[-/. ][dtm]{1,2}[-/. ][yj]{2,4}(?:$|[^a-z])/i.exec(header) ?? [];
  if (first === undefined) return undefined;
  return first.toLowerCase() === "m" ? "month_first" : "day_first";
}

const maxNameLength = 60;

/** A folded header in snake_case, as a name that a path can have; blank if nothing is left of it. */
function memberOf(folded: string): string {
  const name = [...folded.replaceAll(" ", "_")].slice(0, maxNameLength).join("").replace(/_+$/, "");
  return /^\d/.test(name) ? `column_${name}` : name;
}
