import { distance } from "fastest-levenshtein";

/** The end of a sentence about a name that is not known; nothing where none is near. */
export function didYouMean(given: string, known: readonly string[]): string {
  const name = nearest(given, known);
  return name === undefined ? "" : `; did you mean ${name}?`;
}

/** The name that was probably meant; in what case it is written plays no part. */
function nearest(given: string, known: readonly string[]): string | undefined {
  const differ = (name: string) => distance(given.toLowerCase(), name.toLowerCase());
  const [name] = known.toSorted((a, b) => differ(a) - differ(b));
  if (name === undefined) return undefined;
  // Two letters that have changed places count as two changes.
  const isNear = differ(name) <= given.length / 3 || lettersOf(name) === lettersOf(given);
  return isNear ? name : undefined;
}

function lettersOf(name: string): string {
  return [...name.toLowerCase()]
    .filter((letter) => letter !== "-")
    .sort()
    .join("");
}
