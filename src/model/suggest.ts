import { closest, distance } from "fastest-levenshtein";
import { normalized } from "./normalized.ts";

/** The candidate that was probably meant, or nothing when none is near. */
export function suggest(given: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined;
  const wanted = plain(given);
  if (wanted === "") return undefined;
  const alike = candidates.find((candidate) => plain(candidate) === wanted);
  if (alike !== undefined) return alike;
  const known = candidates.map(plain);
  const near = closest(wanted, known);
  const differ = distance(wanted, near);
  // Letters that changed places count as two changes each, and are the likelier slip.
  const swapped =
    known.find((one) => isSwapOf(wanted, one)) ??
    known.find((one) => lettersOf(one) === lettersOf(wanted) && distance(wanted, one) === differ);
  const nearest = swapped ?? near;
  const mayDiffer = Math.max(1, Math.round(given.length / 3));
  const isNear = differ <= mayDiffer || lettersOf(wanted) === lettersOf(nearest);
  if (isNear && differ < Math.max(wanted.length, nearest.length))
    return candidates.find((candidate) => plain(candidate) === nearest);
  const longer = candidates.filter((candidate) => plain(candidate).startsWith(wanted));
  return wanted.length >= shortestBeginning && longer.length === 1 ? longer[0] : undefined;
}

/** Says that nothing knows a key, and which known one may be meant. */
export function describeUnknownKey(key: string, known: readonly string[]): string {
  const meant = suggest(key, known);
  return meant === undefined ? "unknown key; remove it" : `unknown key; did you mean ${meant}?`;
}

/** Of a name of which only the beginning was given. */
const shortestBeginning = 3;

/** Whether two letters beside each other changed places, and nothing else. */
function isSwapOf(one: string, other: string): boolean {
  const at = one.split("").findIndex((letter, place) => letter !== other[place]);
  const swapped = `${one.slice(0, at)}${one[at + 1]}${one[at]}${one.slice(at + 2)}`;
  return at >= 0 && swapped === other;
}

function lettersOf(name: string): string {
  return [...name].sort().join("");
}

/** A name without what people vary: case, accents' form, spaces and punctuation. */
function plain(name: string): string {
  return normalized(name, "NFKC")
    .toLowerCase()
    .replaceAll(/[\s_.\p{Cf}-]+/gu, "");
}
