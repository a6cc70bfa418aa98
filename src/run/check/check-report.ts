import type { EventExplanation } from "../../model/event.ts";
import type { Finding } from "../../model/finding.ts";
import type { Place } from "../../model/place.ts";
import type { Row, RowProblem } from "../../model/row.ts";
import type { CheckProgress, CheckReport, Differences } from "../../model/run-events.ts";
import type { ImportOptions, NightOptions } from "../options/import-options.ts";
import type { EventKind } from "./count-events.ts";
import type { ProblemGroup } from "./group-problems.ts";

/* Types of the package: they reach none of a dependency, which its users may not have. */

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

export interface CheckOptions
  extends Pick<ImportOptions, "input" | "mapping" | "reading" | "skip" | "shard" | "limit">,
    NightOptions {
  /** Each problem as it is found, in input order. */
  readonly onProblem?: (row: Row, problem: RowProblem) => void;
  readonly onProgress?: (progress: CheckProgress) => void;
  /** The address of the service: needed with `state`. */
  readonly baseUrl?: string;
  readonly onWarning?: (message: string) => void;
}
