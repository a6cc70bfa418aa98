import type { Outcome } from "./outcome.ts";
import type { Row } from "./row.ts";

/** An event of a pending row, as far as its line is concerned. */
export interface UnsettledEvent {
  /** The event's outcome if the run stops before it settles. */
  unsettled(): Outcome;
}

export type RowLine =
  /** The line stays as an earlier part wrote it. */
  | { readonly kind: "kept"; readonly text: string }
  /** The line's outcome is known without sending anything. */
  | { readonly kind: "settled"; readonly cells: readonly string[]; readonly outcome: Outcome }
  /** The line has the outcome of the event with this index. */
  | { readonly kind: "sent"; readonly cells: readonly string[]; readonly event: number };

/** A row that was read and is not in the results yet. */
export class PendingRow<Event extends UnsettledEvent = UnsettledEvent> {
  readonly row: Row;
  readonly rowOfRun: number;
  /** Rows with the same key are sent one after another; a row without one waits for no other row. */
  orderingKey: string | undefined = undefined;
  /** The row's events, once delivery has them. */
  events: readonly Event[] = [];
  /** In the order of the events; filled as they settle. */
  outcomes: Outcome[] = [];
  unsettled = 0;
  /** The row's lines, where these are not one for each outcome. */
  lines: readonly RowLine[] | undefined = undefined;

  constructor(row: Row, rowOfRun: number) {
    this.row = row;
    this.rowOfRun = rowOfRun;
  }
}
