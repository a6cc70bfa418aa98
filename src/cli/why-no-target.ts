import { didYouMean } from "./did-you-mean.ts";

/** How a sentence about a configuration file goes on that lacks a target. */
export function whyNoTarget(target: string, names: readonly string[]): string {
  const there =
    names.length === 0
      ? "; it has none: write it there under targets, or give --base-url"
      : `; it has ${names.join(", ")}`;
  const hint = (didYouMean(target, names) || there).replace(/\?$/, "");
  return `has no target "${target}"${hint}`;
}
