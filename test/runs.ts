/** How often `npm test` repeats what it repeats; the soak takes more (`RUNS=10`). */
const times = Number(process.env.RUNS ?? 1);

/** Whether what takes long is done in full, as in the soak. */
export const isThorough = times > 1;

export function runs(usual: number): number {
  return Math.ceil(usual * times);
}
