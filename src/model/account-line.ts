import type { EventStatus } from "./outcome.ts";

/**
 * What a retry does with a line of its row: send its event; leave the line as it is; set it to `skipped`, as the
 * given file says; or leave the event unsent, because a later row of its key has arrived (`superseded`), or because
 * one before it is open and is not sent (`blocked`).
 */
export const lineUses = ["send", "keep", "skip", "superseded", "blocked"] as const;
export type LineUse = (typeof lineUses)[number];

/** A line of an account whose row is part of a retry. */
export interface AccountLine {
  readonly use: LineUse;
  /** The row because of which it is superseded or blocked. */
  readonly because: number | undefined;
  /** The cells of the input: those to be sent, or those that were. */
  readonly cells: readonly string[];
  /** The whole line as the account has it. */
  readonly text: string;
  readonly status: EventStatus | undefined;
  /** Which of the row's events it is for; undefined for a row that gave none. */
  readonly event: number | undefined;
  readonly eventId: string;
  readonly errorCode: string;
  readonly error: string;
  readonly httpStatus: number | undefined;
  /** Over all parts. */
  readonly attempts: number;
  readonly unanswered: number;
}
