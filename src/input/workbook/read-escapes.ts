/**
 * Characters that XML cannot hold stand in texts of an .xlsx as `_x000D_` (ECMA-376 part 1, 22.9.2.19).
 * One that would make half a character of it, or a NUL, stays as it is written.
 */
export function readEscapes(text: string): string {
  if (!text.includes("_x")) return text;
  const read = text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return /\p{Cs}|\0/u.test(read) ? text : read;
}
