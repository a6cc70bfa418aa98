import { copyOf } from "../../model/groups.ts";

export interface ColumnCells {
  readonly column: string;
  /** Cells that are not blank, and no null value. */
  readonly filled: number;
  /** Whether more different texts, without the space around, are among them than are kept. */
  readonly hasMore: boolean;
  /** The texts with how often each is there, the most frequent first; none where there are too many. */
  readonly values: readonly (readonly [text: string, count: number])[];
  readonly samples: readonly string[];
}

export type CellCounts = ReturnType<typeof createCellCounts>;

/** A column of more is no column of codes, and nobody maps them one by one. */
const maxValues = 500;
/** Of all columns together: a sheet can have thousands. */
const maxKept = 100_000;
const longestKept = 200;
const maxSamples = 3;

/**
 * Counts the different cells of each column. It holds no more than a fixed number, however many rows there are.
 *
 * @param nullValues cells that count as blank
 */
export function createCellCounts(columns: readonly string[], nullValues: readonly string[] = []) {
  const nulls = new Map(nullValues.map((text) => [text.trim(), 0]));
  const most = Math.max(maxSamples, Math.min(maxValues, Math.floor(maxKept / columns.length)));
  const found = columns.map(() => ({
    filled: 0,
    hasMore: false,
    counts: new Map<string, number>(),
    samples: [] as string[],
  }));
  let rows = 0;
  return {
    get rows() {
      return rows;
    },
    see({ cells }: { readonly cells: readonly string[] }) {
      rows++;
      for (const [at, tally] of found.entries()) {
        const text = cells[at]?.trim() ?? "";
        if (text === "") continue;
        const known = nulls.get(text);
        if (known !== undefined) {
          nulls.set(text, known + 1);
          continue;
        }
        tally.filled++;
        if (tally.hasMore) continue;
        const before = tally.counts.get(text);
        if (before !== undefined) {
          tally.counts.set(text, before + 1);
          continue;
        }
        const kept = copyOf(text, longestKept);
        if (tally.samples.length < maxSamples) tally.samples.push(kept);
        if (tally.counts.size === most || text.length > longestKept) tally.hasMore = true;
        else tally.counts.set(kept, 1);
      }
    },
    /** How often each null value is in any column. */
    nulls: () => [...nulls],
    counted: () =>
      found.map(
        ({ filled, hasMore, counts, samples }, at): ColumnCells => ({
          column: columns[at] ?? "",
          filled,
          hasMore,
          samples: [...samples],
          values: hasMore ? [] : [...counts].toSorted(([, a], [, b]) => b - a),
        }),
      ),
  };
}
