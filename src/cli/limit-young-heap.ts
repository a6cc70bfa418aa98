import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** What V8's space for young objects needs, both halves together; much beyond it gets no faster. */
const enoughBytes = 8 * 1024 * 1024;

/**
 * Keeps the space for young objects from growing to the 32 MB of V8's own limit. The option for that
 * limit is heeded at the start of a process only, and one that is started by its name gets none. So
 * the space may grow until it is large enough, which it is mostly after the start, and then no more.
 */
export function limitYoungHeap(): void {
  let growth: number | undefined;
  const adjust = () => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    // V8 makes the space smaller again when there is little to do.
    const wanted = (young?.space_size ?? 0) < enoughBytes ? 2 : 1;
    if (wanted === growth) return;
    growth = wanted;
    setFlagsFromString(`--semi-space-growth-factor=${growth}`);
  };
  adjust();
  new PerformanceObserver(adjust).observe({ entryTypes: ["gc"] });
}
