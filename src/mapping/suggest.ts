import { closest, distance } from "fastest-levenshtein";

/** The candidate that was probably meant, or nothing when none is near. */
export function suggest(given: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined;
  const alike = candidates.find((candidate) => plain(candidate) === plain(given));
  if (alike !== undefined) return alike;
  const nearest = closest(plain(given), candidates.map(plain));
  const mayDiffer = Math.max(1, Math.round(given.length / 3));
  if (distance(plain(given), nearest) > mayDiffer) return undefined;
  return candidates.find((candidate) => plain(candidate) === nearest);
}

/** A name without what people vary: case, accents' form, spaces and punctuation. */
function plain(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s_.\p{Cf}-]+/gu, "");
}
