export const sliceMs = 100;

/** What a service saw in {@link sliceMs}. */
export interface Slice {
  received: number;
  accepted: number;
  refused: number;
  mostInFlight: number;
  /** Of those that were not refused. */
  answered: number;
  latencySumMs: number;
}

interface ServiceCounts {
  readonly slices: readonly Slice[];
  arrived(nowMs: number, isRefused: boolean): void;
  left(nowMs: number, latencyMs: number): void;
}

/** Counts what a service sees, in slices of time since its first request. */
export function createServiceCounts(): ServiceCounts {
  const slices: Slice[] = [];
  let inFlight = 0;

  const sliceAt = (nowMs: number): Slice => {
    const index = Math.floor(nowMs / sliceMs);
    while (slices.length <= index) {
      slices.push({
        ...{ received: 0, accepted: 0, refused: 0, mostInFlight: inFlight },
        ...{ answered: 0, latencySumMs: 0 },
      });
    }
    return slices[index] as Slice;
  };
  return {
    slices,
    arrived(nowMs, isRefused) {
      const slice = sliceAt(nowMs);
      slice.received++;
      if (isRefused) slice.refused++;
      else {
        slice.accepted++;
        inFlight++;
        slice.mostInFlight = Math.max(slice.mostInFlight, inFlight);
      }
    },
    /** One that was not refused has its answer. */
    left(nowMs, latencyMs) {
      const slice = sliceAt(nowMs);
      inFlight--;
      slice.answered++;
      slice.latencySumMs += latencyMs;
    },
  };
}
