import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Of both halves of V8's space for young objects; beyond, it gets no faster. */
const mostBytes = 8 * 1024 * 1024;

/**
 * Keeps the space for young objects at a quarter of what V8 lets it grow to, which spares 30 MB and
 * more. Its own option for that is heeded at the start of a process only, and a process that is
 * started by its name gets none: so growth is allowed up to there, and then no more.
 */
export function limitYoungHeap(): void {
  let growth: number | undefined;
  const collected = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    // V8 makes the space smaller again when there is little to do.
    const wanted = (young?.space_size ?? 0) < mostBytes ? 2 : 1;
    if (wanted === growth) return;
    growth = wanted;
    setFlagsFromString(`--semi-space-growth-factor=${growth}`);
  });
  collected.observe({ entryTypes: ["gc"] });
}
