import { closest, distance } from "fastest-levenshtein";
import { normalized } from "./escape-text.ts";

/** The candidate that was probably meant, or nothing when none is near. */
export function suggest(given: string, candidates: readonly string[]): string | undefined {
  const wanted = plainName(given);
  if (candidates.length === 0 || wanted === "") return undefined;
  const known = candidates.map(plainName);
  const near = closest(wanted, known);
  // Letters that changed places are the likelier slip.
  const swapped = known.find((one) => sortedLetters(one) === sortedLetters(wanted));
  const nearest = near === wanted ? near : (swapped ?? near);
  const differ = distance(wanted, nearest);
  const isNear = nearest === swapped || differ <= Math.max(1, Math.round(given.length / 3));
  if (isNear && differ < Math.max(wanted.length, nearest.length))
    return candidates[known.indexOf(nearest)];
  const longer = candidates.filter((candidate) => plainName(candidate).startsWith(wanted));
  return wanted.length >= shortestBeginning && longer.length === 1 ? longer[0] : undefined;
}

/** Says that nothing knows a key, and which known one may be meant. */
export function describeUnknownKey(key: string, known: readonly string[]): string {
  const meant = suggest(key, known);
  return meant === undefined ? "unknown key; remove it" : `unknown key; did you mean ${meant}?`;
}

/** Of a name of which only the beginning was given. */
const shortestBeginning = 3;

function sortedLetters(name: string): string {
  return [...name].sort().join("");
}

/** A name without what people vary: case, accents' form, spaces and punctuation. */
function plainName(name: string): string {
  return normalized(name, "NFKC")
    .toLowerCase()
    .replaceAll(/[\s_.\p{Cf}-]+/gu, "");
}
