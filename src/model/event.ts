import type { RowProblem } from "./row.ts";

/** What rows may be, and what one of them is called. Each has an endpoint of its own. */
export const wordOfOne = { users: "user", contacts: "contact" } as const;
export type Resource = keyof typeof wordOfOne;
export const resources = Object.keys(wordOfOne) as readonly Resource[];

export function usualEvent(resource: string): string {
  return `${wordOfOne[resource as Resource]}.imported`;
}

export const methods = ["POST", "PUT", "DELETE"] as const;
export type Method = (typeof methods)[number];

/** The index of the event for a key that is gone from the input: `gone:` in the mapping. */
export const goneEvent = 0;
export const goneEventText = "gone";

/** An event that the mapping made from a row: the content of one request. */
export interface LoadEvent {
  /** UUID version 5 of the input, the row, the event and its data: the same in every attempt. */
  readonly id: string;
  /** Which of the mapping's events it is, from 1; `goneEvent` for the event of a gone key. */
  readonly index: number;
  readonly name: string;
  readonly resource: Resource;
  readonly method: Method;
  /** The body without its `meta` members, as JSON. If two events say the same, this is equal. */
  data(): string;
  /**
   * The body of the request, as JSON.
   *
   * @param importedAt ISO 8601 instant of the event's first attempt. All attempts pass the same instant, so all send
   *   the same bytes.
   */
  body(importedAt: string): string;
  /** Adds one to the count of each of the mapping's members that is in the body; absent if it names none. */
  countMembers?(counts: number[]): void;
  /** Whether the body has none of the mapping's members, but for those of `meta`; absent if it names none. */
  isBare?(): boolean;
}

/**
 * What an event says, for its id and for the state of nights. The method counts where it is not POST: a POST says the
 * same as before a mapping could name a method.
 */
export function contentOf(event: Pick<LoadEvent, "method" | "data">): string {
  return event.method === "POST" ? event.data() : `${event.method}\n${event.data()}`;
}

export type MappedRow = (
  | { readonly kind: "events"; readonly events: readonly LoadEvent[] }
  | { readonly kind: "invalid"; readonly problems: readonly RowProblem[] }
  | { readonly kind: "skipped"; readonly code: SkipCode; readonly message: string }
) & {
  /**
   * Rows with the same key are sent one after another. A row without one waits for no other row. A row without
   * events has a key too: if it is invalid, it may block the rows after it.
   */
  readonly orderingKey?: string;
};

export type SkipCode = "condition" | "event_gone";

/** A value of JSON (RFC 8259). */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export interface EventExplanation {
  /** Which of the mapping's events it is, from 1. */
  readonly index: number;
  readonly resource: Resource;
  readonly leftOut?: string;
  /** First `event`, then those of the mapping. */
  readonly members: readonly MemberExplanation[];
}

export interface MemberExplanation {
  readonly name: string;
  /** The steps in their order, as far as they go. */
  readonly steps: readonly Step[];
  /** The value in the body; absent where the member is left out or cannot be made. */
  readonly value?: Json;
  readonly problem?: RowProblem;
}

/** One thing that a mapping does on the way from cells to a value. */
export interface Step {
  /** The key of the mapping file that says so. */
  readonly by: string;
  /** What the key says, such as the name of a column. */
  readonly of?: string;
  /** What there is after it; absent where nothing is. */
  readonly gives?: Json;
}
