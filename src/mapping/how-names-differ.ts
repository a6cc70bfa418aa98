import { normalized } from "../model/normalized.ts";

/**
 * In what two names differ that look alike: nothing of it can be seen where both are shown.
 *
 * @returns a part of a sentence about the second, or nothing where the eye can tell
 */
export function howNamesDiffer(given: string, meant: string): string | undefined {
  if (meant.replaceAll(oddSpace, " ") === given.replaceAll(oddSpace, " ")) {
    return "its space is one of another kind, such as a no-break space";
  }
  if (normalized(meant, "NFC") === normalized(given, "NFC")) {
    return "its accents are characters of their own there; copy the name from the file";
  }
  if (meant.replaceAll(invisible, "") === given.replaceAll(invisible, "")) {
    return "it holds a character that cannot be seen; copy the name from the file";
  }
  if (meant.trim() === given.trim()) return "mind the space around it";
  if (normalized(meant, "NFKC") === normalized(given, "NFKC")) {
    return "its letters are other forms of the same; copy the name from the file";
  }
  return undefined;
}

const oddSpace = /\s/gu;
const invisible = /\p{Cf}/gu;
