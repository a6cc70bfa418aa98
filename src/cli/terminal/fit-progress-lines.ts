// Node sees no export named `Format` in it.
import cliProgress from "cli-progress";
import { type ProgressDescription, type ProgressPart, textAt } from "./progress-parts.ts";

const longestBar = 20;
const shortestBar = 6;
const barLook = {
  barCompleteString: "=".repeat(longestBar),
  barIncompleteString: " ".repeat(longestBar),
  barGlue: "",
};
const narrowest = 9;
/** Up to here the phase is named, and one level further where there is room. */
const alwaysNamed = 3;
/** Up to here the bar tells more than what is left out for it. */
const barIsDue = 0;

/**
 * The progress as lines of a width at most. In each line, what matters least is shortened or left out
 * first; the bar takes what room remains.
 */
export function fitProgressLines(description: ProgressDescription, width: number): string[] {
  const { phase, below } = description;
  const first = fitFirst(description, width);
  const second = fitParts(below, width);
  if (second === "") return [first];
  const named = `${phase} `;
  const isUnderPhase = first.startsWith(named) && named.length + second.length <= width;
  return [first, isUnderPhase ? " ".repeat(named.length) + second : second];
}

function fitFirst({ phase, share, parts }: ProgressDescription, width: number): string {
  for (let level = 0; level <= narrowest; level++) {
    const text = textAt(parts, level);
    for (const head of headsAt(level, `${phase} `)) {
      const room = width - head.length - text.length;
      const bar = barOf(share, room);
      const isBarMissing = bar === "" && share !== undefined && level <= barIsDue;
      if (room >= 0 && !isBarMissing) return head + bar + text;
    }
  }
  return "";
}

function headsAt(level: number, named: string): string[] {
  if (level <= alwaysNamed) return [named];
  return level === alwaysNamed + 1 ? [named, ""] : [""];
}

function fitParts(parts: readonly ProgressPart[], width: number): string {
  for (let level = 0; level <= narrowest; level++) {
    const text = textAt(parts, level);
    if (text.length <= width) return text;
  }
  return "";
}

function barOf(share: number | undefined, room: number): string {
  const length = Math.min(longestBar, room - "[] ".length);
  if (share === undefined || length < shortestBar) return "";
  return `[${cliProgress.Format.BarFormat(share, { ...barLook, barsize: length })}] `;
}
