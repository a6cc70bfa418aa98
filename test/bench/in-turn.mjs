/**
 * Runs contenders in turn, A B A B, so that what else the machine does meets all of them alike.
 *
 * @param contenders functions by name; each gives figures by name
 * @returns for each contender, the figures of its rounds
 */
export async function inTurn(contenders, rounds) {
  const names = Object.keys(contenders);
  const figures = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const measured = await contenders[name]();
      figures[name].push(measured);
      const shown = Object.entries(measured).map(([key, value]) => `${key} ${rounded(value)}`);
      console.error(`  ${name}: ${shown.join(", ")}`);
    }
  }
  return figures;
}

/** The ratio of the medians of a figure, and the least and the most of the rounds. */
export function ratioOf(a, b, figure) {
  const ratios = a.map((one, round) => one[figure] / b[round][figure]);
  return {
    ratio: medianOf(a, figure) / medianOf(b, figure),
    least: Math.min(...ratios),
    most: Math.max(...ratios),
  };
}

export function medianOf(rounds, figure) {
  const sorted = rounds.map((one) => one[figure]).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Others that use the machine only ever add to it. */
export function leastOf(rounds, figure) {
  return Math.min(...rounds.map((one) => one[figure]));
}

export function rounded(value) {
  if (typeof value !== "number") return value;
  return Number(value.toPrecision(value >= 1000 ? 5 : 3));
}
