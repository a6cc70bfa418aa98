/** Where the lines of a row stand in the spill file. */
export interface SpilledPlace {
  readonly offset: number;
  readonly bytes: number;
  /** Number of its kind of outcome, see `outcome-shapes.ts`. */
  readonly shape: number;
}

/** Says of rows where they are, in sixteen bytes each; rows leave it in their order. */
export interface SpillIndex {
  set(row: number, place: SpilledPlace): void;
  get(row: number): SpilledPlace;
  /** Rows before this one are not asked for any more. */
  leave(row: number): void;
}

const leastRoom = 4096;

export function createSpillIndex(): SpillIndex {
  let offsets = new Float64Array(leastRoom);
  let lengths = new Uint32Array(leastRoom);
  let shapes = new Uint32Array(leastRoom);
  let first = 0;
  let end = 0;

  const at = (row: number) => row % offsets.length;
  const grow = (room: number) => {
    const before = { offsets, lengths, shapes };
    offsets = new Float64Array(room);
    lengths = new Uint32Array(room);
    shapes = new Uint32Array(room);
    for (let row = first; row < end; row++) {
      const from = row % before.offsets.length;
      offsets[at(row)] = before.offsets[from] ?? 0;
      lengths[at(row)] = before.lengths[from] ?? 0;
      shapes[at(row)] = before.shapes[from] ?? 0;
    }
  };

  return {
    set(row, { offset, bytes, shape }) {
      let room = offsets.length;
      while (row - first >= room) room *= 2;
      if (room > offsets.length) grow(room);
      end = Math.max(end, row + 1);
      offsets[at(row)] = offset;
      lengths[at(row)] = bytes;
      shapes[at(row)] = shape;
    },
    get: (row) => ({
      offset: offsets[at(row)] ?? 0,
      bytes: lengths[at(row)] ?? 0,
      shape: shapes[at(row)] ?? 0,
    }),
    leave(row) {
      first = Math.max(first, row);
      end = Math.max(end, first);
    },
  };
}
