/**
 * Where records stand in a file, by the row that they are about: sixteen bytes each, as a row that
 * waits long may have some hundred thousand settled ones after it.
 */
export interface RecordPlaces {
  readonly count: number;
  /** To be called in the order in which they stand. */
  add(rowOfRun: number, offset: number, bytes: number): void;
  rowOfRun(at: number): number;
  offset(at: number): number;
  bytes(at: number): number;
}

const leastRoom = 1024;

export function createRecordPlaces(): RecordPlaces {
  let rows = new Uint32Array(leastRoom);
  let offsets = new Float64Array(leastRoom);
  let lengths = new Uint32Array(leastRoom);
  let count = 0;

  const grow = () => {
    const before = { rows, offsets, lengths };
    rows = new Uint32Array(count * 2);
    offsets = new Float64Array(count * 2);
    lengths = new Uint32Array(count * 2);
    rows.set(before.rows);
    offsets.set(before.offsets);
    lengths.set(before.lengths);
  };

  return {
    get count() {
      return count;
    },
    add(rowOfRun, offset, bytes) {
      if (count === rows.length) grow();
      rows[count] = rowOfRun;
      offsets[count] = offset;
      lengths[count] = bytes;
      count++;
    },
    rowOfRun: (at) => rows[at] ?? 0,
    offset: (at) => offsets[at] ?? 0,
    bytes: (at) => lengths[at] ?? 0,
  };
}
