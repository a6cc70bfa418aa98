import { hash } from "node:crypto";

/**
 * 48 bits of a text's SHA-1, which a number holds exactly, and never 0. Two of five million keys are
 * the same with a chance of 1 to 22, and then count as one; two bodies with one of 1 to 2^48.
 */
export function hash48(text: string): number {
  // A text, as a buffer would have memory of its own.
  return Number.parseInt(hash("sha1", text).slice(0, 12), 16) || 1;
}
