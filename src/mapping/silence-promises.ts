/** More of a result than anybody sends, so that one without an end is not looked through for ever. */
const mostValues = 10_000;

/**
 * Takes away the ends that the promises in a value would make of the program by failing, as nobody waits
 * for them.
 *
 * @returns the place of the first one, blank for the value itself; nothing where there is none
 */
export function silencePromises(value: unknown): string | undefined {
  const seen = new Set<unknown>();
  const open: (readonly [value: unknown, place: string])[] = [[value, ""]];
  let first: string | undefined;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [one, place] = next;
    if (typeof one !== "object" || one === null || seen.has(one)) continue;
    if (seen.size === mostValues) break;
    seen.add(one);
    try {
      if (isThenable(one)) {
        first ??= place;
        one.then(ignore, ignore);
        continue;
      }
    } catch {} // a proxy, or a getter: its members may hold promises all the same
    for (const name of namesOf(one).reverse()) {
      try {
        const member: unknown = one[name as keyof typeof one];
        open.push([member, placeOf(place, name, Array.isArray(one))]);
      } catch {} // what throws is no promise
    }
  }
  return first;
}

export function isThenable(
  value: unknown,
): value is { then(kept: () => void, broken: () => void): unknown } {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { then?: unknown }).then === "function"
  );
}

function ignore(): void {}

function namesOf(value: object): string[] {
  try {
    return Object.keys(value);
  } catch {
    return [];
  }
}

function placeOf(above: string, name: string, isItem: boolean): string {
  if (isItem) return `${above}[${name}]`;
  return above === "" ? name : `${above}.${name}`;
}
