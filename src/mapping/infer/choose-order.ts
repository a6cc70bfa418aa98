import { grouped, listed } from "../../model/quantities.ts";
import { quote } from "../../model/row.ts";
import type { RecognisedColumn } from "./headers.ts";
import { personWords } from "./vocabulary.ts";

/** The column for `ordering_key`. */
export interface OrderProposal {
  /** `needed` is written as a key; `possible` as a comment, as no two rows agree in it. */
  readonly kind: "none" | "needed" | "possible";
  readonly column: string;
  /** Whether it holds addresses, which agree once they are trimmed and in lower case, as the member has them. */
  readonly isFolded: boolean;
  /** Why it is proposed, or none of those that could be one. */
  readonly why?: string;
}

const none: OrderProposal = { kind: "none", column: "", isFolded: false };

/** A column with the cells of all rows. */
export interface WholeColumn extends RecognisedColumn {
  readonly all: readonly string[];
}

interface Candidate {
  readonly column: string;
  readonly member: string;
  readonly isFolded: boolean;
  /** Whether its name says that it identifies a person. Any other id can only contradict. */
  readonly isOfPerson: boolean;
  /** The key of each row, blank if it has none. */
  readonly keys: readonly string[];
  readonly filled: number;
  readonly different: number;
}

/** Finds the column that identifies the person of a row, if its name and its cells say so. */
export function chooseOrder(
  columns: readonly WholeColumn[],
  rows: number,
  isWhole: boolean,
): OrderProposal {
  const people = columns.filter(({ recognised: { member } }) => ofPeople.test(member));
  const identities = Array.from({ length: rows }, (_, row) =>
    people.map(({ all }) => all[row]).join("\n"),
  );
  // Any other id is then of what they have bought or done.
  const areSeveral = people.length > 1 && new Set(identities).size < rows * 0.9;
  const hasPeople = people.length > 0;
  const names = columns.filter(({ recognised: { member } }) => namesOfPeople.test(member));
  const found = columns.flatMap((column) => candidateOf(column, rows) ?? []);
  const sound = found.filter(({ isFolded, isOfPerson, member, different, filled }) => {
    const isGeneric = genericIds.test(member);
    if (different === filled) return hasPeople || (isOfPerson && !isGeneric);
    // A generic id that repeats is that of what the rows are about, and a client may be a company.
    const mayRepeat = isFolded || (!isGeneric && (hasPeople || !companies.test(member)));
    return isOfPerson && mayRepeat && different > 1 && different >= filled * minShare;
  });
  const shared = sound.filter(({ keys }) => haveSeveralNames(keys, names, maxShareOfOtherNames));
  const own = sound.filter((one) => !shared.includes(one));
  const nearly = shared.filter(({ different, filled }) => different >= filled * nearlyAll);
  const left = own.length > 0 ? own : nearly;
  const [best, ...others] = left.toSorted((a, b) => rank(a) - rank(b));
  const other = best && others.find((one) => !doAgree(best, one));
  const isShared = shared
    .filter((one) => one !== best)
    .map(
      ({ column }) =>
        `Rows with the same ${quote(column)} have different names or birthdays: it is shared`,
    );
  if (best?.isFolded && haveSeveralNames(best.keys, names, 0)) {
    isShared.push(
      `A few rows with the same ${quote(best.column)} have different names: compare them`,
    );
  }
  if (best === undefined || (areSeveral && !best.isOfPerson)) {
    return isShared.length === 0 ? none : { ...none, why: isShared.join(". ") };
  }
  if (other !== undefined) {
    const both = listed([quote(best.column), quote(other.column)]);
    const why = `${both} could both identify a person, and do not agree: one of them has the same value in rows where the other differs`;
    return { ...none, why };
  }
  const { column, isFolded, isOfPerson, different, filled } = best;
  const isUnique = different === filled;
  const reason = !isUnique
    ? `${grouped(different)} different values in ${grouped(rows)} rows: rows with the same value are sent in file order, and --state identifies people by it`
    : isWhole
      ? "Each row has its own value, so order needs no key. With --state, remove the #: it then identifies people"
      : isOfPerson
        ? "different in each row of the sample. Rows with the same value are sent in file order, and --state identifies people by it"
        : "different in each row of the sample. Remove the # if it identifies people";
  const why = [reason, ...isShared].join(". ");
  const kind = isUnique && (isWhole || !isOfPerson) ? "possible" : "needed";
  return { kind, column, isFolded, why };
}

/** With a smaller share of different values, a column names groups of people, not people. */
const minShare = 0.1;
const nearlyAll = 0.98;

/** What rows about people have. */
const ofPeople =
  /^(name|first_name|last_name|nickname|salutation|email|phone|mobile_phone|birthday|gender|username)(_\d+)?$/;
const namesOfPeople = /^(name|first_name|last_name|birthday)$/;
const genericIds = /^(id|record_id|uid|uuid|guid|key)$/;

const companies = /client|klient|cliente|customer|kunde|account|klant/;

/** Ids are preferred to addresses, which change, and usual names to others. */
function rank({ member, isFolded, isOfPerson }: Candidate): number {
  if (!isOfPerson) return 4;
  if (/^(user_id|contact_id|customer_id|id)$/.test(member)) return 0;
  return isFolded ? 2 : personWords.has(member) || member === "username" ? 3 : 1;
}

/** What has ids of its own in rows about people, such as an order. */
const things =
  /order|invoice|ticket|booking|transaction|payment|product|sku|item|line|event|session|article|barcode|ean|gtin|isbn|receipt|bestell|auftrag|rechnung|beleg|artikel|pedido|factura|fatura|commande|facture|ordine|fattura|faktur|zamowien|siparis|заказ|счет|주문|订单|注文|postal|house/;

/** What the numbers of rows are called. */
const numbers =
  /^(no|nr|num|number|nummer|numero|numer|s_?no|sl_?no|sr_?no|stt|номер|מס|מספר|رقم|번호|순번|番号|編號|编号|序号)$/;

/** A column of ids or addresses of people, or of any other ids, and neither of dates, years nor free text. */
function candidateOf(column: WholeColumn, rows: number): Candidate | undefined {
  const { member, kind } = column.recognised;
  const isFolded = kind === "email" && isPersonId(member);
  // Rows whose address is none are invalid, and need no order.
  const keys = column.all.map((cell) => {
    const key = cell.trim();
    return isFolded ? (address.test(key) ? key.toLowerCase() : "") : key;
  });
  const cells = keys.filter((key) => key !== "");
  if (cells.length === 0 || cells.length < rows * 0.95) return undefined;
  const isOneWord = cells.every((cell) => /^\S+$/.test(cell));
  if (!isOneWord || cells.every(isDayOrYear)) return undefined;
  // Without a word for an id, it can be a name.
  const isPerson = personWords.has(member)
    ? cells.every((cell) => /\d/.test(cell))
    : member === "username" || isPersonId(member);
  const areOfRows = numbers.test(member) && cells.every((cell, at) => cell === String(at + 1));
  if (!isPerson && (kind !== "id" || things.test(member) || areOfRows)) return undefined;
  const [different, filled] = [new Set(cells).size, cells.length];
  return { column: column.column, member, isFolded, isOfPerson: isPerson, keys, filled, different };
}

/** Whether many rows with one key have different names, so that the key is that of a team, a family or a company. */
function haveSeveralNames(
  keys: readonly string[],
  names: readonly WholeColumn[],
  maxShare: number,
): boolean {
  const groups = new Map<string, string[]>();
  for (const [row, key] of keys.entries()) {
    const name = names.map(({ all }) => all[row]?.trim().toLowerCase() ?? "").join("\n");
    if (key === "" || name.trim() === "") continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [name]);
    else group.push(name);
  }
  const repeated = [...groups.values()].filter(({ length }) => length > 1);
  const several = repeated.filter((group) => group.some((name) => name !== group[0]));
  return several.length > repeated.length * maxShare;
}

/** Some people write their name in several ways. */
const maxShareOfOtherNames = 0.2;

/** Whether two columns divide the rows in the same way. */
function doAgree(one: Candidate, other: Candidate): boolean {
  const pairs = new Set<string>();
  const [ones, others] = [new Set<string>(), new Set<string>()];
  for (const [row, key] of one.keys.entries()) {
    const second = other.keys[row] ?? "";
    if (key === "" || second === "") continue;
    ones.add(key);
    others.add(second);
    pairs.add(`${key}\n${second}`);
  }
  return pairs.size === ones.size && pairs.size === others.size;
}

const address = /^[^\s@]+@[^\s@]+$/;

/** Whether a name is that of an id or address of the row's person, not of somebody or something else. */
function isPersonId(member: string): boolean {
  if (genericIds.test(member) || member === "email") return true;
  const before = /^(\w+?)_?(?:id|uid|uuid|no|nr|num|number|nummer|code|key|email)$/.exec(member);
  const [, person = ""] = before ?? /^(?:id|cod|codigo|key|kod)_(\w+)$/.exec(member) ?? [];
  return personWords.has(person) || personWords.has(person.replace(/s$/, ""));
}

function isDayOrYear(cell: string): boolean {
  return /^(?:(?:19|20)\d\d|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\S*)$/.test(cell);
}
