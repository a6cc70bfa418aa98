import { escaped } from "./escape-text.ts";
import type { EventStatus, Outcome } from "./outcome.ts";

export interface Row {
  /** The row's number from 1; the header is not counted. A retry keeps the number of the first import. */
  readonly row: number;
  /** The physical line, from 1, on which it starts in the file being read. */
  readonly line: number;
  /** The cells as text, exactly as they stand in the file (quoting undone). */
  readonly cells: readonly string[];
  /** The file that the row is from, if there are several. */
  readonly source?: string;
  /** The file in which `line` is, if that is a results file: its number is another file's then. */
  readonly resultsFile?: string;
  /** Why the row cannot be mapped at all, such as a wrong number of cells. */
  readonly problem?: RowProblem;
  /** Whether the input does not have it: these are cells of a key that is gone from the input. */
  readonly isGone?: true;
  /** Where the row is from, if an earlier part has read it. */
  readonly origin?: Origin;
  /** All lines of the row in the account, where it is selected by a retry. */
  readonly lines?: readonly AccountLine[];
  /** Whether events that succeeded may have no line: the row is from failed rows whose account is gone. */
  readonly mayLackLines?: true;
}

/** The place of a row in the original input. */
export interface Origin {
  /** Identity of the input, 16 hex digits; absent where that was lost. */
  readonly input?: string | undefined;
  readonly line?: number | undefined;
  /** Which of several inputs it is from, exactly as the results say. */
  readonly source?: string | undefined;
}

export interface KnownLine {
  /** The cells of the input. */
  readonly cells: readonly string[];
  readonly status?: EventStatus | undefined;
  /** Which of the row's events it is for; undefined for a row that gave none. */
  readonly event?: number | undefined;
  readonly eventId: string;
  readonly httpStatus?: number | undefined;
  /** Over all parts. */
  readonly attempts: number;
  readonly unanswered: number;
}

/** A line of an account whose row is part of a retry, and what is known of it before anything is decided. */
export interface AccountLine extends KnownLine {
  /** Whether the line is to be sent, with these cells; stays as it is; or the given file sets it to `skipped`. */
  readonly use: "send" | "keep" | "skip";
  /** The whole line, if it stays as it is. */
  readonly text?: string;
  /** The line in the given file, of a line that is to be sent. */
  readonly givenLine?: number | undefined;
  /** An earlier row that holds back the line's key and is not sent, and a later one that has arrived, or may have. */
  readonly blockedBy?: number | undefined;
  readonly supersededBy?: number | undefined;
}

/** What becomes of a line of a row, once that is planned. */
export type RowLine =
  /** The line stays as an earlier part wrote it. */
  | { readonly kind: "kept"; readonly text: string }
  /** The line's outcome is known without sending anything. */
  | { readonly kind: "settled"; readonly cells: readonly string[]; readonly outcome: Outcome }
  /** The line has the outcome of the event at this place among those of the row that are sent. */
  | { readonly kind: "sent"; readonly cells: readonly string[]; readonly place: number };

export interface RowProblem {
  /** What is wrong, such as `not_a_date`. */
  readonly code: string;
  readonly column?: string | undefined;
  readonly value?: string | undefined;
  readonly message: string;
  /**
   * Identifies the cells of a row that could not be mapped, so that a retry knows whether they
   * were fixed.
   */
  readonly mark?: string;
}

const longestShownValue = 80;

/**
 * A cell as a message shows it: quoted, cut when long, and with everything escaped that a terminal
 * would not show as it is (control characters, also those beyond ASCII, and turns of direction).
 */
export function quote(value: string): string {
  return quoteWhole(cutTo(longestShownValue, value));
}

/** Quotes any JSON as a whole, however long it is. */
export function quoteWhole(value: string | number | boolean | object | null): string {
  return JSON.stringify(value).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
}

/** A text of so many characters at most, and a mark where more were left out. */
export function cutTo(most: number, text: string): string {
  const points = [...text.slice(0, 2 * most)];
  const isLonger = points.length > most || text.length > 2 * most;
  return isLonger ? `${points.slice(0, most).join("")}…` : text;
}

/** A problem without its row, as the results file has it. */
export function problemText({ column, value, message }: RowProblem): string {
  const where = column === undefined ? "" : `column ${quote(column)}: `;
  return where + (value === undefined ? message : `${quote(value)} ${message}`);
}

/** The overhead of a row, and of each cell, even a blank one: there may be thousands. */
const charsOfRow = 64;
const charsOfCell = 8;
const longInMemoryChars = 64 * 1024;
/** A long row that is sent is in memory as cells, event, request and line, and JSON may escape each character by six. */
const copiesOfLong = 8;

/** The memory that a row takes, in characters: its cells, its messages, and an overhead for each. */
export function charsOf({ cells, problem }: Pick<Row, "cells" | "problem">): number {
  let chars = charsOfRow + charsOfCell * cells.length;
  for (const cell of cells) chars += cell.length;
  if (problem !== undefined) chars += problem.message.length + (problem.value?.length ?? 0);
  return chars;
}

export function charsWhileSent(row: Row): number {
  const chars = charsOf(row);
  return chars < longInMemoryChars ? chars : copiesOfLong * chars;
}

/** The characters of a row's cells with what is between them: no file of text could be much shorter. */
export function writtenChars({ cells }: Pick<Row, "cells">): number {
  let chars = cells.length;
  for (const cell of cells) chars += cell.length;
  return chars;
}
