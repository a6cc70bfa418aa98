import type { Outcome } from "../domain/outcome.ts";

/** What the tally needs of a row's outcomes. */
export type OutcomeShape = Pick<Outcome, "ending" | "event" | "attempts" | "unanswered">;

/** Keeps the shapes of many rows by number, each once: nearly all rows end in one of a few ways. */
export interface OutcomeShapes {
  /** The number of a shape, which is kept for one row more. */
  keep(outcomes: readonly OutcomeShape[]): number;
  get(shape: number): readonly OutcomeShape[];
  /** It is kept for one row less. */
  release(shape: number): void;
}

interface Kept {
  readonly key: string;
  readonly outcomes: readonly OutcomeShape[];
  rows: number;
}

export function createOutcomeShapes(): OutcomeShapes {
  const numbers = new Map<string, number>();
  const kept = new Map<number, Kept>();
  let next = 0;
  return {
    keep(outcomes) {
      const key = outcomes.map(describe).join(";");
      const known = numbers.get(key) ?? next++;
      const entry = kept.get(known);
      if (entry === undefined) {
        numbers.set(key, known);
        kept.set(known, { key, outcomes: outcomes.map(withoutTexts), rows: 1 });
      } else entry.rows++;
      return known;
    },
    get: (shape) => kept.get(shape)?.outcomes ?? [],
    release(shape) {
      const entry = kept.get(shape);
      if (entry === undefined || --entry.rows > 0) return;
      kept.delete(shape);
      numbers.delete(entry.key);
    },
  };
}

function describe({ ending, event, attempts, unanswered }: OutcomeShape): string {
  return `${ending},${event ?? ""},${attempts},${unanswered}`;
}

function withoutTexts({ ending, event, attempts, unanswered }: OutcomeShape): OutcomeShape {
  return { ending, ...(event === undefined ? {} : { event }), attempts, unanswered };
}
