import type { MemberSet } from "./member-set.ts";
import type { RowProblem } from "./row.ts";

/** The two resources of the service; each has its own endpoint for events. */
export const resources = ["users", "contacts"] as const;
export type Resource = (typeof resources)[number];

/** The index of the event of a key that is gone from the input: `gone:` in the mapping. */
export const goneEvent = 0;
/** What the results have for that index. */
export const goneEventText = "gone";

/** What the mapping makes of a row: one request to the service, still to be sent. */
export interface LoadEvent {
  /** UUID version 5 of the input, the row, the event and its data: the same in every attempt. */
  readonly id: string;
  /** Which of the mapping's events it is, from 1; `goneEvent` for that of a gone key. */
  readonly index: number;
  /** The kind, as the body's `event` member has it. */
  readonly name: string;
  readonly resource: Resource;
  /** Which of the members that the mapping names for it are in the body; absent where it names none. */
  readonly members?: MemberSet;
  /** JSON text of the body without its `meta` members: what two events have in common that say the same. */
  data(): string;
  /**
   * The JSON text of the request.
   *
   * @param importedAt ISO 8601 instant of the event's first attempt. Every attempt passes the same
   *   one, so that all of them carry the same bytes.
   */
  body(importedAt: string): string;
}

/** What the mapping makes of a row. */
export type MappedRow = (
  | { readonly kind: "events"; readonly events: readonly LoadEvent[] }
  | { readonly kind: "invalid"; readonly problems: readonly RowProblem[] }
  | { readonly kind: "skipped"; readonly code: SkipCode; readonly message: string }
  /** Its events are what the service was sent last. */
  | { readonly kind: "unchanged"; readonly events: readonly LoadEvent[]; readonly message: string }
) & {
  /**
   * Rows that agree here are sent one after another; absent where order does not matter. A row that
   * gives no event has its place among them too: what comes after it may be held back.
   */
  readonly orderingKey?: string;
};

export type SkipCode =
  | "already_succeeded"
  | "condition"
  | "event_gone"
  | "skipped_before"
  | "unchanged";

/** A value of JSON (RFC 8259). */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
