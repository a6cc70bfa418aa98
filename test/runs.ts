/**
 * How often what is repeated is repeated, as a share of what each test says. With its one seed `npm test` sees the
 * same cases each time, and takes fewer; the soak takes more, of any seed (`RUNS=10`).
 */
const times = Number(process.env.RUNS ?? 0.5);

/** Whether what takes long is done in full, as in the soak. */
export const isThorough = times > 1;

export function runs(usual: number): number {
  return Math.ceil(usual * times);
}
