import type { ProgressDescription } from "./describe-progress.ts";

const longestBar = 20;
const shortestBar = 6;

/** From the richest to the poorest: the form of the parts, and how unimportant they may be. */
const levels = [
  ["long", 6],
  ["long", 5],
  ["long", 4],
  ["short", 4],
  ["short", 3],
  ["short", 2],
  ["short", 1],
] as const;

/**
 * The progress as one line of a width at most. What matters least is left out first; the bar takes
 * what room remains.
 */
export function fitProgressLine(
  { phase, share, parts }: ProgressDescription,
  width: number,
): string {
  for (const [form, leastImportant] of levels) {
    const text = parts
      .filter(({ importance }) => importance <= leastImportant)
      .map((part) => part[form])
      .join(", ");
    const heads = form === "long" ? [`${phase} `] : [`${phase} `, ""];
    for (const head of heads) {
      const room = width - head.length - text.length;
      const bar = barOf(share, room);
      // The bar tells more than how many of those that ended succeeded.
      const isBarDue = leastImportant === 6 && share !== undefined;
      if (room >= 0 && (bar !== "" || !isBarDue)) return head + bar + text;
    }
  }
  return "";
}

function barOf(share: number | undefined, room: number): string {
  const length = Math.min(longestBar, room - "[] ".length);
  if (share === undefined || length < shortestBar) return "";
  const filled = Math.floor(share * length);
  return `[${"=".repeat(filled)}${" ".repeat(length - filled)}] `;
}
