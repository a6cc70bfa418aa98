/** Steps that make these cells of one column blank, in upper or lower case: as many as the size of a pattern asks for. */
export function blankSteps(cells: readonly string[]) {
  const patterns: string[][] = [];
  let room = 0;
  for (const cell of cells.map((cell) => cell.trim())) {
    if (room < cell.length) {
      patterns.push([]);
      room = maxCharsOfPattern;
    }
    room -= cell.length + 1;
    patterns.at(-1)?.push(cell.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  }
  return patterns.map((some) => {
    return { replace: { pattern: `(?i)^\\s*(?:${some.join("|")})\\s*$`, with: "" } };
  });
}

/** A replacement may have 250 instructions, which is about one for each. */
const maxCharsOfPattern = 200;

/** The cells that a step makes blank, in lower case; none if it does anything else. */
export function blankedBy(step: unknown): readonly string[] {
  const { pattern = "", with: becomes } = Object(Object(step).replace);
  const [, cells] = /^\(\?i\)\^\\s\*\(\?:(.+)\)\\s\*\$$/s.exec(String(pattern)) ?? [];
  if (becomes !== "" || cells === undefined) return [];
  const plain = (cell: string) => cell.replaceAll(/\\(.)/g, "$1").toLowerCase();
  return cells.split(/(?<!\\)\|/).map(plain);
}
