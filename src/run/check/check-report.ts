import type { EventExplanation } from "../../model/event.ts";
import type { Finding } from "../../model/finding.ts";
import type { MaxErrors } from "../../model/max-errors.ts";
import type { Place } from "../../model/place.ts";
import type { GivenReading } from "../../model/reading.ts";
import type { Row, RowProblem } from "../../model/row.ts";
import type { Shard } from "../../model/shard.ts";
import type { Input, MappingObject, Rows } from "../options/input.ts";
import type { CheckProgress, CheckReport, Differences } from "../options/run-events.ts";
import type { EventKind } from "./count-events.ts";
import type { ProblemGroup } from "./group-problems.ts";

/** One of the first rows of an input, and what the mapping makes of it. */
export interface FirstRow extends Place {
  readonly events: readonly EventExplanation[];
}

/** What a check found, including findings that are no problem. */
export interface FullCheckReport extends CheckReport {
  readonly findings: readonly Finding[];
  /** The problems by kind and column. */
  readonly problemGroups: readonly ProblemGroup[];
  /** Problems beyond the groups that are kept. */
  readonly ungroupedProblems: number;
  /** The events by kind, with how often each member is in them. */
  readonly eventKinds: readonly EventKind[];
  /** What the mapping makes of the first three rows, without those that are left out or cannot be read. */
  readonly firstRows: readonly FirstRow[];
  /** The columns of the input that neither a member, a condition nor the ordering key reads. */
  readonly unusedColumns: readonly string[];
  /** With `state`: how the input differs from what the service has, the same for people, and whether it may not. */
  readonly night?: {
    readonly differences: Differences;
    readonly sentences: readonly string[];
    readonly isRefused?: true;
  };
}

export interface CheckOptions {
  /** Each problem as it is found, in input order. */
  readonly onProblem?: (row: Row, problem: RowProblem) => void;
  /** After each part of the input. */
  readonly onProgress?: (progress: CheckProgress) => void;
  /** Path of a CSV file, several, or bytes that can be read once. */
  readonly input: Input | Rows;
  /** Path of the mapping file, or its content as an object. */
  readonly mapping: string | MappingObject;
  /** Where it would be sent, for a comparison with `state`. */
  readonly baseUrl?: string;
  /** How to read the input; default detected from its content. */
  readonly reading?: GivenReading;
  /** Rows to skip at the beginning; default 0. */
  readonly skip?: number;
  /** The part of the rows that an import would take, of several that divide the input; default all. */
  readonly shard?: Shard;
  /** Maximum number of rows; default all. */
  readonly limit?: number;
  /** Path of the state of nights, to which the input is compared. It needs `baseUrl`. */
  readonly state?: string;
  /** How many keys may be gone; default `10%`. */
  readonly maxGone?: MaxErrors;
  /** Called with each warning. */
  readonly onWarning?: (message: string) => void;
}
