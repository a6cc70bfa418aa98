import type { Contender, Scenario } from "./scenarios.mjs";
import type { Slice } from "./service-counts.mjs";

/** Shares are of 1; those without `_from_start` leave the first ten seconds out. */
export interface RateFigures {
  readonly used: number;
  /** From ten seconds after the limit has changed. */
  readonly used_after_change: number | undefined;
  readonly used_from_start: number;
  readonly refused: number;
  readonly refused_from_start: number;
  /** Mean time that the service took for a request that it did not refuse. */
  readonly latency_ms: number;
  /** Of what it takes where nothing stands in line. */
  readonly latency_multiple: number | undefined;
  readonly most_in_flight: number;
  readonly accepted: number;
  readonly meets_target: boolean;
  /** The same with what was refused in the first ten seconds. */
  readonly meets_target_from_start: boolean;
}

export interface RateRow {
  readonly scenario: Scenario;
  readonly contender: Contender;
  readonly figures: RateFigures;
  /** Why the run ended before its time, where it did. */
  readonly stopped?: string | undefined;
}

/** What is left out at the beginning, and after a limit has changed. */
export const settlingS: number;
export function rateFigures(
  scenario: Scenario,
  slices: readonly Slice[],
  seconds: number,
): RateFigures;
export function rateTable(rows: readonly RateRow[]): string;
export function rateTrace(slices: readonly Slice[]): string;
