import { nullSigns } from "../../model/null-words.ts";
import { grouped } from "../../model/quantities.ts";
import { type DayOrder, forms, rounds, vote, type Writing } from "./forms.ts";
import type { Recognised } from "./headers.ts";
import { type Cells, type ColumnKind, columnKinds } from "./kinds.ts";
import { whyCodes } from "./why-codes.ts";

export interface InferredMember extends Writing {
  readonly misfits?: Cells;
  /** A type that too few cells have, and the cells that do not. */
  readonly tooFew?: { readonly evidence: string; readonly misfits: Cells };
}

/** Guesses the type of a column from its filled cells. Each of them maps with the result, but for its misfits. */
export function inferMember(
  recognised: Recognised,
  given: Cells,
  usual: DayOrder,
  isOfIds = false,
): InferredMember {
  const { doubt } = recognised;
  const kind = isOfIds ? (recognised.kind ?? "id") : recognised.kind;
  // Exports put an apostrophe before digits and signs, so that a spreadsheet keeps them as text.
  const marked = given.filter((cell) => /^'[\d+=@-][^']*$/.test(cell)).length;
  const isMarked = marked > 0 && marked * 2 >= given.length;
  const cells = isMarked ? given.map((cell) => cell.replace(/^'/, "")) : given;
  const found = isMarked ? inferText(kind, cells) : inferType(kind, cells, usual);
  const note = kind && columnKinds[kind].note?.(cells);
  const mark = isMarked ? "exported with an apostrophe in front, which is removed" : undefined;
  return {
    ...found,
    transform: [...(isMarked ? [{ strip_prefix: "'" }] : []), ...found.transform],
    notes: [doubt, note, mark, ...found.notes].filter((one) => one !== undefined),
  };
}

function inferType(kind: ColumnKind | undefined, cells: Cells, usual: DayOrder): InferredMember {
  if (cells.length === 0) return textMember([], "blank");
  const address = vote([forms.email], { kind, usual, cells, maxMisfits: 0 });
  if (address !== undefined) return address.writing;
  if (kind !== undefined && columnKinds[kind].isText?.(cells)) return inferText(kind, cells);
  const isTyped = kind === undefined || columnKinds[kind].isTyped === true;
  const maxMisfits = isTyped ? Math.floor(cells.length * (1 - minShareOfMention)) : 0;
  let tooFew: InferredMember["tooFew"];
  for (const round of rounds) {
    const elected = vote(round, { kind, usual, cells, maxMisfits });
    if (elected === undefined) continue;
    const { writing, misfits } = elected;
    if (misfits.length === 0) return writing;
    // A sign for no value says nothing of the others.
    const wrong = misfits.filter((cell) => !nullSigns.has(cell.trim()));
    const isMost = wrong.length <= cells.length * (1 - minShareOfMost);
    if (isMost && cells.length >= minCellsOfMost) return { ...writing, misfits };
    tooFew ??= { evidence: writing.evidence, misfits };
  }
  return { ...inferText(kind, cells), ...(tooFew === undefined ? {} : { tooFew }) };
}

const minCellsOfMost = 20;
const minShareOfMost = 0.95;
/** With a smaller share, a type is not even mentioned. */
const minShareOfMention = 0.5;

/** Text, of the kind that the header says if the cells can be that; else with the reason why it is nothing else. */
function inferText(kind: ColumnKind | undefined, cells: Cells): InferredMember {
  const { isText, evidence } = kind === undefined ? {} : columnKinds[kind];
  if (evidence !== undefined && isText?.(cells)) return textMember(cells, evidence);
  const why = whyText(kind, cells);
  return textMember(cells, "text", ...(why === undefined ? [] : [why]));
}

function whyText(kind: ColumnKind | undefined, cells: Cells): string | undefined {
  const [sign = ""] = cells.map((cell) => cell.trim());
  const mayBeFlag = kind === undefined || kind === "flag" || kind === "code";
  if (mayBeFlag && /^x$/i.test(sign) && cells.every((cell) => cell.trim() === sign)) {
    // SAP and spreadsheets write so. Whether blank is no, or not known, only a person can say.
    return `if ${sign} is yes and a blank cell is no: map: { ${sign}: true }, default: false`;
  }
  // Times of a day are no dates, and of a birthday the year may be left out.
  const isDay = (cell: string) =>
    /\d\D+\d/.test(cell.split(":", 1)[0] ?? "") && !/^\s*\d\d?[/.-]\d\d?\s*$/.test(cell);
  if (kind === "date" && cells.every(isDay)) {
    return "not all in a known format of dates: sent as they are";
  }
  if (!cells.every((cell) => /^\s*-?\d+\s*$/.test(cell))) return undefined;
  const zeros = cells.filter((cell) => /^\s*-?0\d+\s*$/.test(cell)).length;
  if (zeros > 0) return `${grouped(zeros)} with zeros in front, which a number would lose`;
  return whyCodes(kind, cells);
}

function textMember(cells: Cells, evidence: string, ...notes: string[]): InferredMember {
  const hasSpace = cells.some((cell) => cell !== cell.trim());
  return { transform: hasSpace ? ["trim"] : [], conversion: {}, evidence, notes };
}
