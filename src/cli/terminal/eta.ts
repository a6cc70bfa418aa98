/** How fast an amount grows: the rate that the progress shows, and that its ETA goes by. */
export interface Rate {
  /** @param isHeld whether nothing can be sent from now until the next call */
  add(nowMs: number, amount: number, isHeld: boolean): void;
  /** A second, over the last ten seconds; undefined before there is a rate. */
  perSecond(): number | undefined;
}

/** The rate is that of so many seconds. */
export const rateSeconds = 10;
/** Over less than this, a handful at the beginning would look like a high rate. */
const minRateMs = 1000;
const sampleEveryMs = 500;

/** Pauses count like any other time, but during a pause the rate stays as it was. */
export function createRate(): Rate {
  let samples: { readonly atMs: number; readonly amount: number }[] = [];
  let perSecond: number | undefined;
  let wasHeld = false;
  return {
    add(nowMs, amount, isHeld) {
      const isWithinPause = wasHeld && isHeld;
      wasHeld = isHeld;
      if (isWithinPause) return;
      samples = samples.filter(({ atMs }) => atMs >= nowMs - rateSeconds * 1000);
      const [first, last] = [samples[0], samples.at(-1)];
      if (first !== undefined && nowMs - first.atMs >= minRateMs) {
        perSecond = ((amount - first.amount) * 1000) / (nowMs - first.atMs);
      }
      if (last === undefined || nowMs - last.atMs >= sampleEveryMs) {
        samples.push({ atMs: nowMs, amount });
      }
    },
    perSecond: () => perSecond,
  };
}

export interface WorkLeft {
  /** What has not ended yet. */
  readonly left: number;
  readonly perSecond: number | undefined;
  /** The rate that was asked for, if one was. */
  readonly cap?: number | undefined;
  /** How long nothing is sent from now on; undefined if that is unknown. */
  readonly heldForMs?: number | undefined;
}

/** With fewer in the time of the rate, the rate means nothing. */
export const minSamples = 5;

/** Seconds until all has ended; undefined if that is unknown. */
export function secondsLeft({ left, perSecond, cap, heldForMs }: WorkLeft): number | undefined {
  const isCapSlow = cap !== undefined && cap * rateSeconds < minSamples;
  const measured = isCapSlow ? undefined : perSecond;
  const rate = cap === undefined ? measured : Math.min(measured ?? cap, cap);
  if (heldForMs === undefined || rate === undefined || rate <= 0) return undefined;
  return heldForMs / 1000 + left / rate;
}

const maxHours = 999;

/** `42 s`, `3 min 20 s`, `2 h 5 min`, and in short; undefined if that is too long to tell. */
export function timeLeft(exactly: number): [long: string, short: string] | undefined {
  const seconds = Math.ceil(exactly);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (!Number.isFinite(seconds) || hours > maxHours) return undefined;
  if (minutes === 0) return [`${seconds} s`, `${seconds} s`];
  if (hours === 0) return [`${minutes} min ${seconds % 60} s`, `${Math.round(seconds / 60)} min`];
  return [`${hours} h ${minutes % 60} min`, `${Math.round(minutes / 60)} h`];
}
