import { oneLine } from "./one-line.ts";

/** A path as it can be typed in a shell, and is not taken for an option. */
export function shellWord(path: string): string {
  if (path.startsWith("-")) return shellWord(`./${path}`);
  if (/^[\w./@:+-]+$/.test(path)) return path;
  if (oneLine(path) === path) return `'${path.replaceAll("'", "'\\''")}'`;
  // Line breaks and control characters can be typed only in this way.
  return `$'${oneLine(path.replaceAll(/[\\']/g, "\\$&"))}'`;
}
