/**
 * Reads `Retry-After` (RFC 9110, section 10.2.3): seconds, or an HTTP date.
 *
 * Any number of seconds counts, however large.
 *
 * @param answeredAt when the answer was made, by the clock of the service
 * @returns milliseconds to wait from then, never less than 0; undefined if it is neither
 */
export function parseRetryAfter(value: string, answeredAt: Date): number | undefined {
  const text = value.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = parseHttpDate(text);
  return date === undefined ? undefined : Math.max(0, date.getTime() - answeredAt.getTime());
}

/** Reads a date in one of the forms of RFC 9110, section 5.6.7. `Date.parse` accepts much that is not one. */
export function parseHttpDate(text: string): Date | undefined {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text)) return undefined;
  const epochMs = Date.parse(/GMT$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(epochMs) ? undefined : new Date(epochMs);
}
