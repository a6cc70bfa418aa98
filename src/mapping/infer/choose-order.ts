import { grouped } from "../../model/quantities.ts";
import type { RecognisedColumn } from "./recognise-header.ts";

/** The column for `ordering_key`. */
export type OrderProposal =
  | { readonly kind: "none" }
  | {
      /** `needed` is written as a key; `possible` as a comment, as no two rows agree in it. */
      readonly kind: "needed" | "possible";
      readonly column: string;
      /** Whether it holds addresses, which agree once they are trimmed and in lower case, as the member has them. */
      readonly isFolded: boolean;
      readonly why: string;
    };

/** Finds the column that identifies a person: an id or an email address. */
export function chooseOrder(
  columns: readonly RecognisedColumn[],
  rows: number,
  isWhole: boolean,
): OrderProposal {
  const found = columns.flatMap((candidate) => {
    const { member, kind } = candidate.recognised;
    const isFolded = kind === "email" && isPersonId(member);
    // Rows whose address is none are invalid, and need no order.
    const cells = candidate.cells.filter((cell) => !isFolded || address.test(cell));
    const isFilled = cells.length > 0 && cells.length >= rows * 0.95;
    if (!isFilled || !identifiesPerson({ ...candidate, cells })) return [];
    const keys = isFolded ? cells.map((cell) => cell.trim().toLowerCase()) : cells;
    const different = new Set(keys).size;
    return [
      { column: candidate.column, isUsual: usualIds.test(member), isFolded, cells, different },
    ];
  });
  const persons = [...found.filter((one) => one.isUsual), ...found.filter((one) => !one.isUsual)];
  const repeating = persons.find(
    ({ different, cells }) =>
      different > 1 && different < cells.length && different >= cells.length * minShare,
  );
  const person = repeating ?? persons.find(({ different, cells }) => different === cells.length);
  if (person === undefined) return { kind: "none" };
  const { column, isFolded, different } = person;
  const ofUnique = isWhole
    ? "Each row has its own value, so order needs no key. With --state, remove the #: it then identifies people"
    : "different in each row of the sample. Rows with the same value are sent in file order, and --state identifies people by it";
  const why =
    repeating === undefined
      ? ofUnique
      : `${grouped(different)} different values in ${grouped(rows)} rows: rows with the same value are sent in file order, and --state identifies people by it`;
  const kind = repeating === undefined && isWhole ? "possible" : "needed";
  return { kind, column, isFolded, why };
}

/** With a smaller share of different values, a column names groups of people, not people. */
const minShare = 0.1;

/** Preferred to other ids of people. */
const usualIds = /^(user_id|contact_id|customer_id|id|email|username)$/;

const address = /^\s*[^\s@]+@[^\s@]+\s*$/;

/** Whether a column holds ids or addresses of people, and neither dates, years nor free text. */
function identifiesPerson({ cells, recognised: { member } }: RecognisedColumn): boolean {
  const isOneWord = cells.every((cell) => /^\s*\S+\s*$/.test(cell));
  if (!isOneWord || cells.every(isDayOrYear)) return false;
  // Without a word for an id, it can be a name.
  if (personWords.has(member)) return cells.every((cell) => /\d/.test(cell));
  return member === "username" || isPersonId(member);
}

/** Whether a name is that of an id or address of the row's person, not of somebody or something else. */
function isPersonId(member: string): boolean {
  if (/^(id|record_id|uid|uuid|guid|email)$/.test(member)) return true;
  const before = /^(\w+?)_?(?:id|uid|uuid|no|nr|num|number|nummer|code|key|email)$/.exec(member);
  const [, person = ""] = before ?? /^(?:id|cod|codigo|key|kod)_(\w+)$/.exec(member) ?? [];
  return personWords.has(person);
}

const personWords: ReadonlySet<string> = new Set(
  (
    "user person people contact customer client member subscriber lead employee staff student pupil " +
    "patient guest visitor donor volunteer participant attendee candidate applicant tenant voter player driver " +
    "personal personnel benutzer nutzer kunde kunden klient klienta mitglied mitglieds mitarbeiter teilnehmer " +
    "schuler patienten abonnent membre adherent employe socio miembro empleado cliente usuario utente klant lid medlem kund"
  ).split(" "),
);

function isDayOrYear(cell: string): boolean {
  return /^\s*(?:(?:19|20)\d\d|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\S*)\s*$/.test(cell);
}
