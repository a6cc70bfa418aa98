let lastMs = Number.NaN;
let lastText = "";

/** The instant as ISO 8601 text. In a millisecond several events end, and to write it takes a while. */
export function isoTime(instant: Date): string {
  const ms = instant.getTime();
  if (ms !== lastMs) {
    lastText = instant.toISOString();
    lastMs = ms;
  }
  return lastText;
}
