import { suggest } from "../model/suggest.ts";

/** The end of a sentence about a name that is not known; nothing where none is near. */
export function didYouMean(given: string, known: readonly string[]): string {
  const name = suggest(given, known);
  return name === undefined ? "" : `; did you mean ${name}?`;
}
