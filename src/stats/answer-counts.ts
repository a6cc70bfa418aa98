import type { AnswerCount, KindCount } from "../model/run-figures.ts";

/**
 * Counts answers by HTTP status, with the times of the first and the last.
 *
 * @param from those of the account before the part, or of several runs, to add up
 */
export function createAnswerCounts(...from: readonly (readonly AnswerCount[] | undefined)[]) {
  const answers = new Map<number, { count: number; firstMs: number; lastMs: number }>();
  const add = (status: number, count: number, firstMs: number, lastMs: number) => {
    const known = answers.get(status);
    if (known === undefined) answers.set(status, { count, firstMs, lastMs });
    else {
      known.count += count;
      known.firstMs = Math.min(known.firstMs, firstMs);
      known.lastMs = Math.max(known.lastMs, lastMs);
    }
  };
  for (const { status, count, first_at, last_at } of from.flatMap((some) => some ?? []))
    add(status, count, Date.parse(first_at), Date.parse(last_at));
  return {
    /** @param atMs epoch milliseconds */
    add: (status: number, atMs: number) => add(status, 1, atMs, atMs),
    figures: (): AnswerCount[] =>
      [...answers]
        .map(([status, { count, firstMs, lastMs }]) => {
          return { status, count, first_at: isoTime(firstMs), last_at: isoTime(lastMs) };
        })
        .toSorted((one, other) => one.status - other.status),
  };
}

function isoTime(epochMs: number): string {
  return new Date(Math.round(epochMs)).toISOString();
}

/** A mapping may take the kind from a column with other things in it. */
const maxKindsCounted = 50;
const maxKindChars = 100;

/** Counts requests and accepted events by kind. @param from those of earlier parts, or of several runs, to add up */
export function createKindCounts(...from: readonly (readonly KindCount[] | undefined)[]) {
  const kinds = new Map<string, { requests: number; succeeded: number }>();
  const of = (kind: string) => {
    const name = kind.length > maxKindChars ? kind.slice(0, maxKindChars) : kind;
    const known = kinds.get(name);
    if (known !== undefined) return known;
    const key = kinds.size < maxKindsCounted ? name : "";
    const counts = kinds.get(key) ?? { requests: 0, succeeded: 0 };
    kinds.set(key, counts);
    return counts;
  };
  for (const { kind, requests, succeeded } of from.flatMap((some) => some ?? [])) {
    const counts = of(kind);
    counts.requests += requests;
    counts.succeeded += succeeded;
  }
  return {
    requested(kind: string) {
      of(kind).requests++;
    },
    succeeded(kind: string) {
      of(kind).succeeded++;
    },
    figures: () =>
      [...kinds]
        .map(([kind, counts]) => ({ kind, ...counts }))
        .toSorted(
          (one, other) => other.requests - one.requests || (one.kind < other.kind ? -1 : 1),
        ),
  };
}
