import { z } from "zod";
import { amounts, figuresSchema } from "./run-figures.ts";
import {
  isKeptValue,
  type RunSettings,
  type SendingSettings,
  type Setting,
  settings,
} from "./run-settings.ts";

const fingerprint = { bytes: z.number(), sha256: z.string() };
const counts = z.record(z.string(), z.number());

/** Which part of an input. */
const placeSchema = z.object(amounts("index", "count"));

/** What lines add up to; of `perhaps_twice` more than one attempt may have arrived. */
const totals = {
  ...amounts("rows", "events", "attempts", "unanswered", "perhaps_twice"),
  counts,
};

/** A run whose results were merged with those of the other shards of its import. */
const shardSchema = placeSchema.extend({ results: z.string() });

/** Settings, each of which has to be one that a run can have. */
function keptSettings<Kept>(isChosen: (setting: Setting) => boolean) {
  const members = settings.filter(isChosen).map((one) => {
    const value = z.unknown().refine((given) => isKeptValue(one, given));
    // An earlier version may not know it.
    return [one.name, value.default(one.default)];
  });
  return Object.fromEntries(members) as { [name in keyof Kept]: z.ZodType<Kept[name]> };
}

const sendingSettings = keptSettings<SendingSettings>(({ keptAs }) => keptAs === "sending");

/** An import, a resume or a retry: what it did, and how it sent. */
const partSchema = z.object({
  /** The number of the part, as lines have it: 1 for the import, and one more for each retry. */
  part: z.number(),
  command: z.enum(["import", "resume", "retry"]),
  started_at: z.string(),
  /** Null if it was killed, or could not write what it did; then it has no figures either. */
  finished_at: z.string().nullable(),
  /** Rows that got their outcomes, and the events of these rows. */
  ...amounts("rows", "attempts", "unanswered"),
  counts,
  exit_reason: z.string().nullable(),
  /** Whether nothing of it is left to be resumed. */
  is_over: z.boolean(),
  ...sendingSettings,
});

export type ManifestPart = z.infer<typeof partSchema>;

/** The number of the last part. Of merged shards, the one that was retried most often decides. */
export function lastPart(parts: readonly ManifestPart[]): number {
  return parts.reduce((last, { part }) => Math.max(last, part), 0);
}

export const manifestSchema = z.object({
  version: z.literal(2),
  eventload: z.string(),
  input: z.object({
    path: z.string().nullable(),
    name: z.string(),
    /** The value of `meta: input_name`. */
    called: z.string(),
    id: z.string(),
    /** Null for an input that can be read only once. */
    bytes: z.number().nullable(),
    sha256: z.string().nullable(),
  }),
  /** If there are several files, each in order; `input` is all of them together. */
  inputs: z
    .array(z.object({ path: z.string(), name: z.string(), ...fingerprint }))
    .readonly()
    .optional(),
  mapping: z.object({
    path: z.string(),
    ...fingerprint,
    /** Its lookup files. */
    lookups: z.array(z.object({ path: z.string(), ...fingerprint })).readonly(),
  }),
  base_url: z.string(),
  /** The name of the target in the configuration file, if it was given by name. */
  target: z.string().optional(),
  options: z.object(keptSettings<RunSettings>(() => true)),
  /** What each import, resume and retry did, in their order. */
  parts: z.array(partSchema),
  /** If the results were merged: of which runs, in the order of the shards. */
  shards: z.array(shardSchema).optional(),
  /** When they were merged; the other times are those of the runs. */
  merged_at: z.string().optional(),
  /** Path of the state, if it is a night. */
  state: z.string().optional(),
  /** Of a night: rows of keys that do not differ, or that the mapping leaves out. They are not in the results. */
  unchanged_rows: z.number().optional(),
  /** Of an unfinished night: the results of the later one that closed it, and when. */
  closed: z.object({ by: z.string(), at: z.string() }).optional(),
  /** Where the results of this shard were merged into: from then on, that account is retried. */
  merged_into: z.string().optional(),
  started_at: z.string(),
  finished_at: z.string(),
  elapsed_ms: z.number(),
  ...totals,
  /** Lines that a retry does not send, as a later event of their key has arrived; by status. */
  superseded: z.number().optional(),
  /** How the rows add up: `rows_read = rows_settled + rows_not_settled`. */
  reconciliation: z.object({
    ...amounts("rows_read", "rows_settled", "rows_not_settled"),
    /** Rows in the results file, and their lines. The outcomes of the others are in the journal. */
    ...amounts("rows_written", "lines"),
    adds_up: z.boolean(),
  }),
  exit_reason: z.string(),
  message: z.string().nullable(),
  results: z.string(),
  failed_rows: z.string().nullable(),
  /** What eventload wrote; null while there is no such file. */
  results_file: z.object(fingerprint).nullable(),
  failed_rows_file: z.object(fingerprint).nullable(),
  /** For the report. If somebody has damaged them, they count as absent. */
  figures: figuresSchema.optional().catch(undefined),
  /** HMAC over all of the above; absent if there was no key. */
  seal: z.string().optional(),
});

/** What a run was and how it ended, as `*.run.json` keeps it. */
export type Manifest = z.infer<typeof manifestSchema>;
