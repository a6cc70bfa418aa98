import { normalized } from "../../model/escape-text.ts";
import { areYesAndNo } from "./forms.ts";
import { type ColumnKind, isSecret, kindOfCells, kindOfMember } from "./kinds.ts";
import {
  foldHeader,
  hasNoSpaces,
  kindOfWords,
  meaningsOf,
  personWords,
  productOf,
  sensitiveOf,
  type VocabularyTable,
  withoutSpaces,
} from "./vocabulary.ts";

export interface Recognised {
  /** The name of the member, before duplicates get numbers. */
  readonly member: string;
  readonly kind: ColumnKind | undefined;
  /** Whether the member is a known one. Else it has the words of the header. */
  readonly isKnown: boolean;
  /** The words of the header themselves, for columns that would have one name. */
  readonly ownMember: string;
  /** Why the member is not named after what the header says. */
  readonly doubt?: string;
}

export interface RecognisedColumn {
  readonly column: string;
  readonly cells: readonly string[];
  readonly recognised: Recognised;
}

export interface HeaderRow {
  readonly headers: readonly Recognised[];
  /** Whether the header is in a language whose countries write the day first. */
  readonly isDayFirst: boolean;
}

interface HeaderContext {
  readonly spoken: readonly string[];
  readonly product: VocabularyTable | undefined;
}

/** How the cells are to be written, in parentheses: a date, a flag, a list, and whether they may be blank. */
const formatHint =
  /\((?:[ymdtj]{1,4}[-/. ][ymdtj]{1,4}[-/. ][ymdtj]{2,4}|0\s?[/|]\s?1|x, ?y[^()]*|optional|required|文本|数字|整数|小数|日期|必填|选填)\)\s*$/i;

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
  const context = { spoken, product: productOf(folded) };
  const people = personOf(folded);
  const prefixes = [...usualPrefixes, ...people];
  const around = new RegExp(`^(?:${prefixes.join("|")}) | (?:${people.join("|")})$`);
  const headers = folded.map((header, at): Recognised => {
    const ownMember = memberOf(header) || `column_${at + 1}`;
    const whole = recogniseWords(header, context);
    const rest = header.replace(around, "");
    const isDone = rest === header || whole.isKnown || isSecret(whole.kind);
    const ofRest = isDone ? undefined : recogniseWords(rest, context);
    // The id of a person, and how many there are, are nothing without the person.
    const found = ofRest?.isKnown && ofRest.kind !== "id" ? ofRest : whole;
    return { ...found, ownMember, member: found.member || ownMember };
  });
  return { headers, isDayFirst: spoken.length > 0 && spoken.every(isDayFirstLanguage) };
}

/** The word for a person that begins or ends headers, if there is one and no other. */
function personOf(folded: readonly string[]): readonly string[] {
  const found = folded.flatMap((header) => {
    const words = header.split(" ");
    return words.length === 1 ? [] : [words[0] ?? "", words.at(-1) ?? ""];
  });
  const people = [...new Set(found.filter((word) => personWords.has(word)))];
  return people.length === 1 ? people : [];
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
    // Languages that know as many can be told by nothing.
    for (const [language, count] of counts) if (count === most) spoken.push(language);
  }
}

type MemberGuess = Pick<Recognised, "member" | "kind" | "isKnown">;

/** Words beside a secret that say that the column holds none. */
const aboutSecrets =
  /^(has|is) |\b(at|date|count|changed|expires|expired|consent|reset required|attempts)\b/;

function recogniseWords(folded: string, context: HeaderContext): MemberGuess {
  const { product, spoken } = context;
  const sensitive = aboutSecrets.test(folded) ? undefined : sensitiveOf(folded, product);
  if (sensitive !== undefined) {
    return { member: memberOf(folded), kind: sensitive, isKnown: false };
  }
  for (const spelling of [folded, ...inOneScript(folded)]) {
    const member = known(spelling, context) ?? knownNumbered(spelling, context);
    if (member !== undefined) {
      const isOfProduct = product?.meanings.has(withoutSpaces(spelling)) === true;
      const words = isOfProduct ? member.replaceAll("_", " ") : "";
      const kind = kindOfMember(member) ?? kindOfWords(words, ["English"]) ?? "text";
      return { member, kind, isKnown: true };
    }
  }
  return { member: memberOf(folded), kind: kindOfHeader(folded, spoken), isKnown: false };
}

/** The member that a whole header means: in the program, in the row's languages, in English, or in nobody's way. */
function known(folded: string, { spoken, product }: HeaderContext): string | undefined {
  const ofProduct = product?.meanings.get(withoutSpaces(folded));
  if (ofProduct !== undefined) return ofProduct;
  const all = meaningsOf(folded);
  for (const one of [...spoken, "English"]) {
    const found = all.find(({ language }) => language === one);
    if (found !== undefined) return found.member;
  }
  const [first, ...others] = all;
  return others.every(({ member }) => member === first?.member) ? first?.member : undefined;
}

/** Of "姓名 Name", each part; "ID" says too little. */
function inOneScript(folded: string): string[] {
  const latin = folded.replaceAll(/[^\p{Script=Latin}\d ]+/gu, "").trim();
  const other = folded.replaceAll(/\p{Script=Latin}+/gu, "").trim();
  if (latin === "" || other === "") return [];
  return latin.length < 4 ? [other] : [other, latin];
}

function kindOfHeader(folded: string, spoken: readonly string[]): ColumnKind | undefined {
  // Without a header, columns are called by their numbers.
  if (/^\d+$/.test(folded)) return "code";
  // LEISTUNGSID, 产品ID and the like.
  if (/(?:\w{4}(?<!pa|val|cov|hybr|andro)|\P{ASCII} ?)id$/u.test(folded)) return "id";
  const kind = kindOfWords(folded, spoken);
  if (kind !== "flag" || /^(is|has|do|does|can|opt|accepts|wants)\b/.test(folded)) return kind;
  // "Verified phone" is a phone, "phone verified" is not.
  const ofLast = kindOfWords(folded.slice(folded.lastIndexOf(" ") + 1), spoken);
  return ofLast === "phone" || ofLast === "id" || ofLast === "postal_code" ? ofLast : kind;
}

/** Google writes "E-mail 2 - Value", Outlook "E-mail 2 Address". */
function knownNumbered(folded: string, context: HeaderContext): string | undefined {
  const words = folded.split(" ");
  const [number, ...others] = words.filter((word, at) => at > 0 && /^\d{1,2}$/.test(word));
  if (others.length > 0) return undefined;
  const plain = words.filter((word) => word !== number).join(" ");
  const member = known(plain.replace(/ value$/, ""), context);
  if (member === undefined) return undefined;
  return number === undefined || number === "1" ? member : `${member}_${number}`;
}

/** Says what a name is that can be a whole one or a part: the columns beside it show that, or its cells of one word. */
export function withNameParts<Given extends RecognisedColumn>(columns: readonly Given[]): Given[] {
  const has = (member: string) => columns.some(({ recognised }) => recognised.member === member);
  const [hasFirst, hasLast] = [has("first_name"), has("last_name")];
  return columns.map((one) => {
    const { recognised, cells } = one;
    const [isName, word] = /^(?:(given|family)_or_)?name$/.exec(recognised.member) ?? [];
    if (isName === undefined) return one;
    const isOneWord = (cell: string) => !/\S\s+\S/.test(cell) && !hasNoSpaces.test(cell);
    const ofOne = cells.filter(isOneWord).length;
    const areWords = ofOne > 0 && ofOne >= cells.length * 0.9;
    const isOther = areWords && hasFirst !== hasLast;
    const isFirst = hasLast && (word === "given" || isOther);
    const isLast = hasFirst && !hasLast && (word === "family" || isOther);
    const member = isFirst ? "first_name" : isLast ? "last_name" : "name";
    return { ...one, recognised: { ...recognised, member } };
  });
}

/** What the cells of other columns are like that have the name of a member. */
const otherCells: Readonly<Record<string, RegExp>> = {
  email: /^[^@]*$/,
  // The address of a record in an API is nobody's website.
  website: /^https?:\/\/[^/]+\/api\//,
  // "Estado" is a state, or whether somebody is active, or how something is.
  state: /^\s*(in)?a(c?ti?[vf]|kty)[a-z]*\b|^\s*-?[\d.,]+\s*$/i,
  address: /^$/,
  address_line_2: /^$/,
  house_number: /^$/,
};
const numericCell = /^\s*-?[\d.,]+\s*$/;

/** A column called "Cargo" with numbers holds no job, and one called "Firma" with yes and no holds no company. */
export function recogniseByCells(recognised: Recognised, cells: readonly string[]): Recognised {
  const { member, ownMember, isKnown } = recognised;
  const kind = kindOfCells(recognised.kind, cells);
  const mayBeOther = isKnown && (kind === "text" || member === "email") && cells.length > 0;
  if (!mayBeOther) return { ...recognised, kind };
  const words = new Set(cells.map((cell) => cell.trim().toLowerCase()));
  const areFlags = words.size > 1 && areYesAndNo([...words]);
  const other = otherCells[member] ?? numericCell;
  const areOthers = cells.every((cell) => other.test(cell));
  // A company called by its number is still one.
  const isSure = member === ownMember && kind === "text";
  if (!areFlags && (isSure || !areOthers)) return { ...recognised, kind };
  const doubt = `the header suggests ${member}, but the cells do not`;
  return { member: ownMember, ownMember, kind: undefined, isKnown: false, doubt };
}

/** The order of day and month that a header names, such as "Born (DD/MM/YYYY)". */
export function dayOrderIn(header: string): "day_first" | "month_first" | undefined {
  const [, first] =
    /(?:^|[^a-z])([dtm])[dtm]?[-/. ][dtm]{1,2}[-/. ][yj]{2,4}(?:$|[^a-z])/i.exec(header) ?? [];
  if (first === undefined) return undefined;
  return first.toLowerCase() === "m" ? "month_first" : "day_first";
}

const maxNameLength = 60;

/**
 * A folded header in snake_case, as a name that a path can have; blank if nothing is left of it. `event` is taken: it
 * names the kind of event.
 */
function memberOf(folded: string): string {
  if (folded === "event") return "event_name";
  const name = [...folded.replaceAll(" ", "_")].slice(0, maxNameLength).join("").replace(/_+$/, "");
  return /^\d/.test(name) ? `column_${name}` : name;
}
