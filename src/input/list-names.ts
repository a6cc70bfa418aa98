const mostNames = 5;

/** `a.csv, b.csv`, or the first few of them `and 7 more`. */
export function listNames(names: readonly string[]): string {
  const more = names.length - mostNames;
  const shown = names.slice(0, mostNames).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}
