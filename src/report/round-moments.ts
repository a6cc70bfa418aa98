const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** What people count time in. */
const steps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * second),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minute),
  ...[1, 2, 3, 6, 12, 24, 48].map((hours) => hours * hour),
];
const most = 6;

/** Round moments from 0 up to an end, each as far from the next, to be written below a chart. */
export function roundMoments(endMs: number): { readonly ms: number; readonly text: string }[] {
  const longest = steps.at(-1) ?? 1;
  const step =
    steps.find((ms) => endMs / ms <= most) ?? Math.ceil(endMs / most / longest) * longest;
  return Array.from({ length: Math.floor(endMs / step) + 1 }, (_, at) => {
    const ms = at * step;
    return { ms, text: ms === 0 ? "0" : textOf(ms, endMs) };
  });
}

/** All in the unit of the end. */
function textOf(ms: number, endMs: number): string {
  if (endMs < second) return `${ms} ms`;
  if (ms < minute) return `${ms / second} s`;
  const parts = [
    [Math.floor(ms / hour), "h"],
    [Math.floor((ms % hour) / minute), "min"],
    [(ms % minute) / second, "s"],
  ] as const;
  return parts.flatMap(([amount, unit]) => (amount === 0 ? [] : [`${amount} ${unit}`])).join(" ");
}
