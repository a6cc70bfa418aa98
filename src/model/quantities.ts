/** `1 row`, `1,312 rows` */
export function count(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
}

export function rowsOrUnknown(rows: number | null): string {
  return rows === null ? "nobody knows how many rows" : count(rows, "row");
}

/** `400 rows`, `24 rows and 12 gone keys` */
export function countWithGone(rows: number, gone = 0): string {
  return gone === 0 ? count(rows, "row") : `${count(rows, "row")} and ${count(gone, "gone key")}`;
}

/** `a.csv, b.csv`, or the first few of them `and 7 more`. */
export function listed<Item>(
  items: readonly Item[],
  most = 5,
  show: (item: Item) => string = String,
): string {
  const more = items.length - most;
  const shown = items.slice(0, most).map(show).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** `1,312`; of a fraction three decimals at most. */
export function grouped(number: number): string {
  // Its first use takes as long as a check of several thousand rows.
  if (!Number.isSafeInteger(number)) return number.toLocaleString("en-US");
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** `560 KiB`, `2,048 MiB` */
export function size(bytes: number): string {
  const kibibytes = Math.round(bytes / 1024);
  return kibibytes < 10_240
    ? `${grouped(kibibytes)} KiB`
    : `${grouped(Math.round(kibibytes / 1024))} MiB`;
}

/** `0.4 s`, `3 min 20 s`, `2 h 5 min` */
export function duration(durationMs: number): string {
  const tenths = Math.round(durationMs / 100);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.floor(tenths / 10);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `0.4 ms`, `21 ms`, `1.3 s` */
export function shortTime(ms: number): string {
  if (ms >= 1000) return `${shortNumber(ms / 1000)} s`;
  return `${shortNumber(ms)} ms`;
}

/** With three digits that count, at most. */
export function shortNumber(value: number): string {
  if (value >= 100) return grouped(Math.round(value));
  return String(Number(value.toPrecision(value >= 10 ? 3 : 2)));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** A rate as `--rate` takes it, in the unit in which it is a whole number: `50/s`, `100/h` where it is 0.02777 a second. */
export function asTypedRate(perSecond: number): string {
  for (const [unit, seconds] of Object.entries(unitsPerSecond)) {
    const amount = Math.round(perSecond * seconds);
    // Apart from what the division of an hour by seconds leaves.
    if (amount >= 1 && Math.abs(perSecond * seconds - amount) < 1e-6) return `${amount}/${unit}`;
  }
  return `${perSecond}/s`;
}

const unitsPerSecond: Record<string, number> = { s: 1, m: 60, h: 3600 };

/** Reads `50/s`, `3000/m` or `100000/h` as a number a second; undefined if it is no rate. */
export function parseRate(text: string): number | undefined {
  const [, count, unit = ""] = /^\s*(\d+(?:\.\d+)?)\/([smh])\s*$/.exec(text) ?? [];
  const perSecond = Number(count) / (unitsPerSecond[unit] ?? Number.NaN);
  return perSecond > 0 ? perSecond : undefined;
}
