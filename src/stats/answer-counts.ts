import type { AnswerCount, KindCount } from "../model/run-figures.ts";

/**
 * Counts answers by HTTP status, with the times of the first and the last.
 *
 * @param from those of the account before the part
 */
export function createAnswerCounts(from: readonly AnswerCount[] = []) {
  const own = new Map<number, { count: number; firstMs: number; lastMs: number }>();
  return {
    /** @param atMs epoch milliseconds */
    add(status: number, atMs: number) {
      const known = own.get(status);
      if (known === undefined) own.set(status, { count: 1, firstMs: atMs, lastMs: atMs });
      else {
        known.count++;
        known.lastMs = Math.max(known.lastMs, atMs);
      }
    },
    figures: () =>
      addAnswers([
        from,
        [...own].map(([status, { count, firstMs, lastMs }]) => {
          return { status, count, first_at: isoTime(firstMs), last_at: isoTime(lastMs) };
        }),
      ]),
  };
}

function isoTime(epochMs: number): string {
  return new Date(Math.round(epochMs)).toISOString();
}

/** The answers of several parts or runs, by status. */
export function addAnswers(all: readonly (readonly AnswerCount[])[]): AnswerCount[] {
  const added = new Map<number, AnswerCount>();
  for (const { status, count, first_at, last_at } of all.flat()) {
    const known = added.get(status);
    added.set(status, {
      status,
      count: count + (known?.count ?? 0),
      first_at: known !== undefined && known.first_at < first_at ? known.first_at : first_at,
      last_at: known !== undefined && known.last_at > last_at ? known.last_at : last_at,
    });
  }
  return [...added.values()].toSorted((one, other) => one.status - other.status);
}

/** A mapping may take the kind from a column with other things in it. */
const maxKinds = 50;
const maxKindChars = 100;

/**
 * Counts requests and accepted events by the kind of event.
 *
 * @param from those of earlier parts of the run, or of several runs, to add up
 */
export function createKindCounts(...from: readonly (readonly KindCount[] | undefined)[]) {
  const kinds = new Map<string, { requests: number; succeeded: number }>();
  const of = (kind: string) => {
    const name = kind.length > maxKindChars ? kind.slice(0, maxKindChars) : kind;
    const known = kinds.get(name);
    if (known !== undefined) return known;
    const key = kinds.size < maxKinds ? name : "";
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
