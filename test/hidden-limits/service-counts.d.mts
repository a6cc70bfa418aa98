export const sliceMs: 100;

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

export interface ServiceCounts {
  readonly slices: readonly Slice[];
  arrived(nowMs: number, isRefused: boolean): void;
  left(nowMs: number, latencyMs: number): void;
}

export function createServiceCounts(): ServiceCounts;
