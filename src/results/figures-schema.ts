import { z } from "zod";
import { type RunFigures, seriesNames, type TimeSeries } from "../model/run-figures.ts";
import { pauseReasons } from "../model/sending-state.ts";

/** As many as a run ever writes. */
const mostBuckets = 600;
const amount = z.number().nonnegative();
const amounts = z.array(amount).max(mostBuckets);

const lists = Object.fromEntries(seriesNames.map((name) => [name, amounts]));

const seriesSchema = z
  .object({
    bucket_ms: z.number().positive(),
    duration_ms: amount,
    ...lists,
    unsent: amounts.optional(),
  })
  // Manifests of before do not tell those apart.
  .transform((series) => ({
    ...series,
    unsent: series.unsent ?? (series as unknown as TimeSeries).attempts.map(() => 0),
  }))
  .refine((series) => {
    const lengths = seriesNames.map((name) => (series as unknown as TimeSeries)[name].length);
    return new Set(lengths).size === 1;
  }) as unknown as z.ZodType<TimeSeries>;

/** The figures of a run as the manifest keeps them. */
export const figuresSchema: z.ZodType<RunFigures> = z.object({
  parts: z.array(z.object({ started_at: z.string(), at_ms: amount })).min(1),
  series: seriesSchema,
  latency: z.object({
    answers: amount,
    min_ms: amount,
    mean_ms: amount,
    p50_ms: amount,
    p75_ms: amount,
    p90_ms: amount,
    p95_ms: amount,
    p99_ms: amount,
    p999_ms: amount,
    max_ms: amount,
    histogram: z.string(),
  }),
  pauses: z.object({
    count: amount,
    longest: z.array(
      z.object({
        at_ms: amount,
        duration_ms: amount,
        // Runs of earlier versions had one more, for when much had to be retried.
        reason: z.enum(pauseReasons).catch("outage"),
        message: z.string(),
      }),
    ),
  }),
});
