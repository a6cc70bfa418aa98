export const sliceMs = 100;

/** Counts what a service sees, in slices of time since its first request. */
export function createServiceCounts() {
  const slices = [];
  let inFlight = 0;

  const sliceAt = (nowMs) => {
    const index = Math.floor(nowMs / sliceMs);
    while (slices.length <= index) {
      slices.push({
        ...{ received: 0, accepted: 0, refused: 0, mostInFlight: inFlight },
        ...{ answered: 0, latencySumMs: 0 },
      });
    }
    return slices[index];
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
