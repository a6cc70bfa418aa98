/** A path as it can be typed in a shell, and is not taken for an option. */
export function shellWord(path: string): string {
  if (path.startsWith("-")) return shellWord(`./${path}`);
  return /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
