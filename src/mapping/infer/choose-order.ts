import type { Recognised } from "./recognise-column.ts";

/** By which column rows are to be kept in order. */
export type OrderProposal =
  | { readonly kind: "none" }
  | {
      /** Proposed as it is, or in a comment only, as no two rows agree. */
      readonly kind: "needed" | "possible";
      readonly column: string;
      readonly why: string;
    };

interface Candidate {
  readonly column: string;
  readonly cells: readonly string[];
  readonly recognised: Recognised;
}

/** Finds what tells the people of a file apart: an id, an address, or codes that come again and again. */
export function chooseOrder(
  columns: readonly Candidate[],
  rows: number,
  isWhole: boolean,
): OrderProposal {
  const filled = columns
    .filter(({ cells }) => cells.length > 0 && cells.length >= rows * 0.95)
    .map((candidate) => ({ ...candidate, different: new Set(candidate.cells).size }));
  const persons = filled.filter(({ recognised }) => isOfPerson(recognised));
  const repeats = ({ different, cells }: (typeof filled)[number]) =>
    different > 1 && different < cells.length && different >= cells.length * leastShare;
  const [again] = [...persons, ...filled.filter(isCode)].filter(repeats);
  if (again !== undefined) {
    return {
      kind: "needed",
      column: again.column,
      why: `${number(again.different)} different values in ${number(rows)} rows: rows that agree are sent in file order`,
    };
  }
  const [person] = persons.filter(({ different, cells }) => different === cells.length);
  if (person === undefined) return { kind: "none" };
  return isWhole
    ? {
        kind: "possible",
        column: person.column,
        why: "no two rows agree in it; of use where several rows tell of one person",
      }
    : {
        kind: "needed",
        column: person.column,
        why: "no two rows of the sample agree in it; should others do, they are sent in file order",
      };
}

/** Fewer different values than this share of the rows are groups of people, not people. */
const leastShare = 0.1;

function isOfPerson({ member, kind }: Recognised): boolean {
  if (/^(user_id|contact_id|customer_id|id|email|username)$/.test(member)) return true;
  return kind === "id" && /_id$/.test(member) && !isOfOthers(member);
}

/** An id of those whom a person belongs to. */
function isOfOthers(member: string): boolean {
  return /(owner|account|company|parent|organi[sz]ation|assigned|creat|modif|updat)/.test(member);
}

/** Letters with digits, or digits, without a space: neither a place nor a number to count with. */
function isCode({ cells, recognised }: Candidate): boolean {
  const { kind, member } = recognised;
  if ((kind !== undefined && kind !== "id") || isOfOthers(member)) return false;
  return cells.every((cell) => /^\s*[A-Za-z_-]*\d[\w-]*\s*$/.test(cell) && cell.trim().length >= 4);
}

function number(count: number): string {
  return count.toLocaleString("en");
}
