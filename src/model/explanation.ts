import type { Json, Resource } from "./event.ts";
import type { RowProblem } from "./row.ts";

/** How one of the mapping's events is made from a row. */
export interface EventExplanation {
  /** Which of the mapping's events it is, from 1. */
  readonly index: number;
  readonly resource: Resource;
  /** Why its condition leaves it out. */
  readonly leftOut?: string;
  /** First `event`, then those of the mapping. */
  readonly members: readonly MemberExplanation[];
  /** How the parts of the ordering key with transforms are made; with the first event only. */
  readonly orderingKey?: readonly MemberExplanation[];
}

/** How a member of a row's event is made. */
export interface MemberExplanation {
  readonly name: string;
  /** In their order, as far as they go. */
  readonly steps: readonly Step[];
  /** As it stands in the body; absent where it is left out or cannot be made. */
  readonly value?: Json;
  /** Why it cannot be made. */
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
