import { type Resource, resources } from "../model/event.ts";
import { grouped, sum } from "../model/quantities.ts";

/**
 * What a sandbox has done so far: `requests` is the sum of `accepted`, `refused`, `throttled`, `failed`,
 * `resets.beforeAccepting` and `hangs.beforeAccepting`.
 */
export interface SandboxCounts {
  requests: number;
  accepted: Record<Resource, number>;
  /**
   * Accepted events that had come before: with the same `Idempotency-Key` to the same endpoint or, without one,
   * with the same body.
   */
  repeats: number;
  /** Invalid requests, by status, and as 422 the events rejected on purpose. */
  refused: Record<string, number>;
  /** Answered 429. */
  throttled: number;
  /** Valid requests that failed on purpose or in the outage, by status. */
  failed: Record<string, number>;
  /** Connections reset on purpose; those after accepting also count as `accepted`. */
  resets: Unanswered;
  /** Requests never answered, counted in the same way. */
  hangs: Unanswered;
}

interface Unanswered {
  beforeAccepting: number;
  afterAccepting: number;
}

export function emptyCounts(): SandboxCounts {
  return {
    requests: 0,
    accepted: Object.fromEntries(resources.map((resource) => [resource, 0])) as Record<
      Resource,
      number
    >,
    repeats: 0,
    refused: {},
    throttled: 0,
    failed: {},
    resets: { beforeAccepting: 0, afterAccepting: 0 },
    hangs: { beforeAccepting: 0, afterAccepting: 0 },
  };
}

export type AnswerKind = "accepted" | "refused" | "throttled" | "failed" | "cut";

/** All requests, and those of each kind; what is rare is left out where there is none. */
export function tilesOf(counts: SandboxCounts) {
  const { requests, throttled } = counts;
  const [refused, failed] = [total(counts.refused), total(counts.failed)];
  const cut = total(counts.resets) + total(counts.hangs);
  const accepted = requests - refused - throttled - failed - cut;
  const tiles: { name: string; answer: AnswerKind | ""; count: number }[] = [
    { name: "All", answer: "", count: requests },
    { name: "Accepted", answer: "accepted", count: accepted },
    { name: "Refused", answer: "refused", count: refused },
    { name: "Failed", answer: "failed", count: failed },
    { name: "Throttled", answer: "throttled", count: throttled },
    { name: "No answer", answer: "cut", count: cut },
  ];
  return tiles.filter(({ count }, at) => at < 4 || count > 0);
}

/** The counts for people, a line each. Zeros are left out, but for the first two. */
export function describeCounts(counts: SandboxCounts): string[] {
  const all = [...tilesOf(counts), { name: "Accepted again", count: counts.repeats }];
  const some = all.filter(({ count }, at) => at < 2 || count > 0);
  return some.map(({ name, count }) => `${name}: ${grouped(count)}`);
}

function total(counts: object): number {
  return sum(Object.values(counts));
}
