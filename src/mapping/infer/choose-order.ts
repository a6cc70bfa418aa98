import { grouped, listed } from "../../model/quantities.ts";
import { quote } from "../../model/row.ts";
import type { RecognisedColumn } from "./headers.ts";
import { personWords, wordsOf } from "./vocabulary.ts";

export interface OrderProposal {
  /** `needed` is written as a key; `possible` as a comment, as no two rows agree in it. */
  readonly kind: "none" | "needed" | "possible";
  readonly column: string;
  /** Whether the column holds addresses, which agree once trimmed and in lower case, as the member has them. */
  readonly isFolded: boolean;
  /** Why the key is proposed, or none of the columns that could be one. */
  readonly why?: string;
}

export interface WholeColumn extends RecognisedColumn {
  readonly all: readonly string[];
}

interface Candidate {
  readonly column: string;
  readonly member: string;
  readonly isFolded: boolean;
  /** Whether the name of the column says that it identifies a person. Any other id can only contradict. */
  readonly isOfPerson: boolean;
  /** The key of each row, blank if it has none. */
  readonly keys: readonly string[];
  readonly isUnique: boolean;
  readonly share: number;
}

/** Finds the column that identifies the person of a row, if its name and its cells say so. */
export function chooseOrder(
  columns: readonly WholeColumn[],
  rows: number,
  isWhole: boolean,
): OrderProposal {
  const named = (form: RegExp) => columns.filter(({ recognised }) => form.test(recognised.member));
  const [people, names] = [named(ofPeople), named(namesOfPeople)];
  const candidates = columns.flatMap((column) => candidateOf(column, rows) ?? []);
  const sound = candidates.filter((one) => isSound(one, people.length > 0));
  const doubts = new Map(sound.map((one) => [one, shareOfOtherNames(one.keys, names)]));
  const doubtOf = (one: Candidate) => doubts.get(one) ?? 0;
  const own = sound.filter((one) => doubtOf(one) <= maxShareOfOtherNames);
  const left = own.length > 0 ? own : sound.filter(({ share }) => share >= nearlyAllRows);
  const [best, ...others] = left.toSorted((a, b) => rank(a) - rank(b));
  const remarks = sound
    .filter((one) => doubtOf(one) > (one === best ? 0 : maxShareOfOtherNames))
    .map(
      (one) =>
        `Rows with the same ${quote(one.column)} have different names or birthdays: ${one === best ? "compare them" : "it is shared"}`,
    );
  const none = { kind: "none", column: "", isFolded: false } as const;
  // Where the same people are in several rows, any other id is of what they have bought or done.
  const identities = joinedCells(people, rows);
  const areSeveral = people.length > 1 && new Set(identities).size < rows * 0.9;
  if (best === undefined || (areSeveral && !best.isOfPerson)) {
    return remarks.length === 0 ? none : { ...none, why: remarks.join(". ") };
  }
  const other = others.find((one) => !doAgree(best, one));
  if (other !== undefined) {
    const both = listed([quote(best.column), quote(other.column)]);
    const why = `${both} could both identify a person, and do not agree: one of them has the same value in rows where the other differs`;
    return { ...none, why };
  }
  const { column, isFolded, isOfPerson, isUnique, keys } = best;
  const inOrder = "sent in file order, and --state identifies people by it";
  const reason = !isUnique
    ? `${grouped(new Set(filledOf(keys)).size)} different values in ${grouped(rows)} rows: rows with the same value are ${inOrder}`
    : isWhole
      ? "Each row has its own value, so order needs no key. With --state, remove the #: it then identifies people"
      : isOfPerson
        ? `different in each row of the sample. Rows with the same value are ${inOrder}`
        : "different in each row of the sample. Remove the # if it identifies people";
  const kind = isUnique && (isWhole || !isOfPerson) ? "possible" : "needed";
  return { kind, column, isFolded, why: [reason, ...remarks].join(". ") };
}

/** With a smaller share of different values, a column names groups of people, not people. */
const minShare = 0.1;
const nearlyAllRows = 0.98;
/** Some people write their name in several ways. */
const maxShareOfOtherNames = 0.2;

const ofPeople =
  /^(name|first_name|last_name|nickname|salutation|email|phone|mobile_phone|birthday|gender|username)(_\d+)?$/;
const namesOfPeople = /^(name|first_name|last_name|birthday)$/;
const genericIds = /^(id|record_id|uid|uuid|guid|key)$/;
const companies = new RegExp([...wordsOf("=company")].join("|"));
const things = new RegExp([...wordsOf("=thing")].join("|"));
const numbers = new Set([...wordsOf("=row")].map((word) => word.replaceAll(" ", "_")));
const people = [...personWords].join("|").replaceAll(" ", "_");
const ids = [...numbers, ..."id uid uuid code cod codigo key kod ma コード 코드".split(" ")].join(
  "|",
);
const idsOfPeople = new RegExp(
  `^(?:${people})s?_?(?:${ids}|email)$|^(?:${ids})_?(?:${people})$`,
  "u",
);

function isSound({ isFolded, isOfPerson, member, isUnique, share }: Candidate, hasPeople: boolean) {
  const isGeneric = genericIds.test(member);
  if (isUnique) return hasPeople || (isOfPerson && !isGeneric);
  // A generic id that repeats is that of what the rows are about, and a client may be a company.
  const mayRepeat = isFolded || (!isGeneric && (hasPeople || !companies.test(member)));
  return isOfPerson && mayRepeat && share < 1 && share >= minShare;
}

/** Ids are preferred to addresses, which change, and usual names to others. */
function rank({ member, isFolded, isOfPerson }: Candidate): number {
  if (!isOfPerson) return 4;
  if (/^(user_id|contact_id|customer_id|id)$/.test(member)) return 0;
  return isFolded ? 2 : personWords.has(member) || member === "username" ? 3 : 1;
}

/** A column of ids or addresses of people, or of any other ids, and neither of dates, years nor free text. */
function candidateOf(column: WholeColumn, rows: number): Candidate | undefined {
  const { member, kind } = column.recognised;
  const isFolded = kind === "email" && (member === "email" || isPersonId(member));
  // Rows whose address is none are invalid, and need no order.
  const keys = column.all.map((cell) => {
    const key = cell.trim();
    return isFolded ? (/^[^\s@]+@[^\s@]+$/.test(key) ? key.toLowerCase() : "") : key;
  });
  const filled = filledOf(keys);
  if (filled.length === 0 || filled.length < rows * 0.95) return undefined;
  if (!filled.every((key) => /^\S+$/.test(key))) return undefined;
  // Without a word for an id, it can be a name.
  const isOfPerson = personWords.has(member)
    ? filled.every((key) => /\d/.test(key))
    : member === "username" || isFolded || isPersonId(member);
  const areOfRows = numbers.has(member) && filled.every((key, at) => key === String(at + 1));
  if (!isOfPerson && (kind !== "id" || things.test(member) || areOfRows)) return undefined;
  const different = new Set(filled).size;
  const isUnique = different === filled.length;
  // One value for all is nobody's.
  const share = different === 1 ? 0 : different / filled.length;
  return { column: column.column, member, isFolded, isOfPerson, keys, isUnique, share };
}

function filledOf(keys: readonly string[]): readonly string[] {
  return keys.filter((key) => key !== "");
}

function joinedCells(columns: readonly WholeColumn[], rows: number): readonly string[] {
  return Array.from({ length: rows }, (_, row) =>
    columns.map(({ all }) => all[row]?.trim().toLowerCase() ?? "").join("\n"),
  );
}

/** Of the keys that several rows have, how many have different names: those of a team, a family or a company. */
function shareOfOtherNames(keys: readonly string[], names: readonly WholeColumn[]): number {
  const groups = new Map<string, string[]>();
  for (const [row, name] of joinedCells(names, keys.length).entries()) {
    const key = keys[row] ?? "";
    if (key === "" || name.trim() === "") continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [name]);
    else group.push(name);
  }
  const repeated = [...groups.values()].filter(({ length }) => length > 1);
  const several = repeated.filter((group) => group.some((name) => name !== group[0]));
  return several.length / Math.max(1, repeated.length);
}

function doAgree(one: Candidate, other: Candidate): boolean {
  const both = one.keys
    .map((key, row) => [key, other.keys[row] ?? ""] as const)
    .filter(([key, second]) => key !== "" && second !== "");
  const sizes = [0, 1].map((at) => new Set(both.map((pair) => pair[at])).size);
  return sizes.every((size) => size === new Set(both.map((pair) => pair.join("\n"))).size);
}

/** Whether a name is that of an id or address of the row's person, not of somebody or something else. */
function isPersonId(member: string): boolean {
  return genericIds.test(member) || idsOfPeople.test(member);
}
