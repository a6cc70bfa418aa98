/** What is known of a row, in two bits. */
export interface RowMarks {
  /** 0 for a row of which nothing is known. */
  get(row: number): number;
  /** Adds to what is known. */
  add(row: number, mark: 1 | 2 | 3): void;
}

/**
 * Two bits for each of very many row numbers, in pages that are there only where a row is marked:
 * a quarter of a byte a row where the rows follow each other.
 */
export function createRowMarks(): RowMarks {
  const pages = new Map<number, Uint8Array>();
  const shiftOf = (row: number) => 2 * (row % 4);
  const byteOf = (row: number) => Math.floor((row % rowsInPage) / 4);
  const numberOf = (row: number) => Math.floor(row / rowsInPage);
  return {
    get(row) {
      return ((pages.get(numberOf(row))?.[byteOf(row)] ?? 0) >> shiftOf(row)) & 3;
    },
    add(row, mark) {
      let page = pages.get(numberOf(row));
      if (page === undefined) {
        page = new Uint8Array(rowsInPage / 4);
        pages.set(numberOf(row), page);
      }
      const at = byteOf(row);
      page[at] = (page[at] ?? 0) | (mark << shiftOf(row));
    },
  };
}

const rowsInPage = 4096;
