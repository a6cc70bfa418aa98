import { shortNumber, shortTime } from "../model/quantities.ts";
import type { Scale } from "./time-chart.ts";

/** From 0 up to a round number that is at least the largest value. */
export function linearScale(largest: number): Scale {
  const top = roundUp(largest);
  return {
    place: (value) => value / top,
    labels: [0, 0.5, 1].map((at) => ({ at, text: shortNumber(top * at) })),
  };
}

/** From 1, 10, 100… ms to another of these, each as far from the next. */
export function logScale(smallestMs: number, largestMs: number): Scale {
  const low = Math.floor(Math.log10(Math.max(0.1, smallestMs)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(0.1, largestMs))));
  const steps = high - low;
  const every = steps > 4 ? 2 : 1;
  const labels = Array.from({ length: Math.floor(steps / every) + 1 }, (_, step) => ({
    at: (step * every) / steps,
    text: shortTime(10 ** (low + step * every)),
  }));
  return { place: (ms) => (Math.log10(Math.max(0.01, ms)) - low) / steps, labels };
}

function roundUp(value: number): number {
  if (value <= 0) return 1;
  const unit = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 6, 8, 10].find((factor) => factor * unit >= value) ?? 10;
  return step * unit;
}
