import { z } from "zod";
import { parseBaseUrl } from "./endpoint.ts";
import {
  amount,
  each,
  fingerprint,
  longText,
  moment,
  ordinal,
  pathText,
  sha256,
  shortHash,
} from "./members.ts";
import { nightFates } from "./night-fates.ts";
import { outcomeStatuses } from "./outcome.ts";
import { sum } from "./quantities.ts";
import { figuresSchema } from "./run-figures.ts";
import {
  isKeptValue,
  type RunSettings,
  type SendingSettings,
  type Setting,
  settings,
} from "./run-settings.ts";
import { stopCodes } from "./stop.ts";

const countsSchema = z.partialRecord(z.enum(outcomeStatuses), amount);

const baseUrlSchema = z.string().refine((url) => {
  try {
    return parseBaseUrl(url, true).baseUrl === url;
  } catch {
    return false;
  }
});

/** Settings, each of which has to be one that a run can have. */
function settingShape<Kept>(isChosen: (setting: Setting) => boolean) {
  const members = settings.filter(isChosen).map((one) => {
    const value = z.unknown().refine((given) => isKeptValue(one, given));
    // An earlier version may not know it.
    return [one.key, value.default(one.default)];
  });
  return Object.fromEntries(members) as { [name in keyof Kept]: z.ZodType<Kept[name]> };
}

export const sendingSettings = settingShape<SendingSettings>(({ keptAs }) => keptAs === "sending");
const exitReason = z.enum(["complete", ...stopCodes]);

/** An import, a resume or a retry: what it did, and how it sent. */
const partSchema = z.object({
  /** The number of the part, as lines have it: 1 for the import, and one more for each retry. */
  part: ordinal,
  command: z.enum(["import", "resume", "retry"]),
  started_at: moment,
  /** Null if the part was killed. */
  finished_at: moment.nullable(),
  /** Rows that got their outcomes, and the events of these rows. */
  ...each(["rows", "attempts", "unanswered"], amount),
  counts: countsSchema,
  exit_reason: exitReason.nullable(),
  /** Whether nothing of the part is left to be resumed. */
  is_over: z.boolean(),
  ...sendingSettings,
});

export type ManifestPart = z.infer<typeof partSchema>;

/** The number of the last part. Of merged shards, the one that was retried most often decides. */
export function lastPart(parts: readonly ManifestPart[]): number {
  return parts.reduce((last, { part }) => Math.max(last, part), 0);
}

export const nightSchema = z.object({
  ...each(nightFates, amount),
  /** By which members keys changed, as far as that was seen. */
  changed_by: z.array(z.object({ member: longText, keys: amount })).default([]),
});

/** What is imported, and where to, as the journal of each part and the manifest of the account have it. */
export const importedSchema = z.object({
  input: z.object({
    /** Null for standard input, of which a copy was read, or several files. */
    path: pathText.nullable(),
    name: longText,
    /** The value of `meta: input_name`. */
    called: longText,
    id: shortHash,
    bytes: amount,
    sha256,
  }),
  /** If there are several files, each in order; `input` is all of them together. */
  inputs: z
    .array(fingerprint.extend({ path: pathText, name: longText }))
    .readonly()
    .optional(),
  mapping: fingerprint.extend({
    path: pathText,
    /** The `lookup` files and modules that it uses. */
    lookups: z.array(fingerprint.extend({ path: pathText })).readonly(),
  }),
  base_url: baseUrlSchema,
  /** The name of the target in the configuration file, if it was given by name. */
  target: longText.optional(),
  options: z.object(settingShape<RunSettings>(() => true)),
  /** Path of the state, if it is a night. */
  state: pathText.optional(),
  /** When the import began; in the journal of a retry, when that began. */
  started_at: moment,
});
export type Imported = Readonly<z.infer<typeof importedSchema>>;

const looseSchema = importedSchema.extend({
  version: z.literal(2),
  eventload: longText,
  /** What each import, resume and retry did, in their order. */
  parts: z.array(partSchema).min(1),
  /** The highest number that a file of the journal has ever had. */
  journal: amount.optional(),
  /** If the results were merged: of which runs, in the order of the shards. */
  shards: z.array(z.object({ ...each(["index", "count"], ordinal), results: pathText })).optional(),
  merged_at: moment.optional(),
  /** Of a night: rows of keys that do not differ, or that the mapping leaves out. They are not in the results. */
  unchanged_rows: amount.optional(),
  night: nightSchema.optional(),
  /** Of an account that was closed: rows of which nothing was sent, null if nobody knows. They are not in the results. */
  never_begun: amount.nullable().optional(),
  /** Where the results of this shard were merged into: from then on, that account is retried. */
  merged_into: pathText.optional(),
  finished_at: moment,
  elapsed_ms: amount,
  /** What lines add up to; of `perhaps_twice` more than one attempt may have arrived. */
  ...each(["rows", "events", "attempts", "unanswered", "perhaps_twice"], amount),
  counts: countsSchema,
  /** Lines that a retry does not send, as a later event of their key has arrived; by status. */
  superseded: amount.optional(),
  /** Lines that no retry sends, as the account was closed and their cells are gone. */
  closed: amount.optional(),
  /** How the rows add up: `rows_read = rows_settled + rows_not_settled`. */
  reconciliation: z.object({
    ...each(["rows_read", "rows_settled", "rows_not_settled"], amount),
    /** Rows in the results file, and their lines. The outcomes of the others are in the journal. */
    ...each(["rows_written", "lines"], amount),
    adds_up: z.boolean(),
  }),
  exit_reason: exitReason,
  message: longText.nullable(),
  results: pathText,
  failed_rows: pathText.nullable(),
  /** What eventload wrote; null while there is no such file. */
  results_file: fingerprint.nullable(),
  failed_rows_file: fingerprint.nullable(),
  figures: figuresSchema.optional(),
  /** HMAC over all of the above; absent if there was no key. */
  seal: sha256.optional(),
});

/** Whoever changes a count of the whole has to change all that it is made of. */
function addsUp(all: Pick<Manifest, "rows" | "counts" | "results_file" | "reconciliation">) {
  const { rows, counts, results_file: file, reconciliation: of } = all;
  if (rows !== of.rows_read || rows !== of.rows_settled + of.rows_not_settled) return false;
  return file === null || (rows === of.rows_written && sum(Object.values(counts)) === of.lines);
}

const countsDiffer = { error: "its counts do not add up" };
/** In a journal, no member may be damaged. */
export const strictManifestSchema = looseSchema.refine(addsUp, countsDiffer);
/** Damaged figures of a manifest count as absent. */
export const manifestSchema = looseSchema
  .extend({ figures: figuresSchema.optional().catch(undefined) })
  .refine(addsUp, countsDiffer);

/** What a run was and how it ended, as `*.run.json` keeps it. */
export type Manifest = z.infer<typeof looseSchema>;
