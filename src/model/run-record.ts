import { z } from "zod";
import { countsSchema, strictManifestSchema } from "./manifest.ts";
import { amount, each, fileName, type fingerprint, moment, ordinal, text } from "./members.ts";
import { type Outcome, outcomeStatuses, type StatusCounts } from "./outcome.ts";

const tallySchema = z.object({
  counts: countsSchema,
  /** Of the events, those of which more than one attempt may have arrived. */
  ...each(["events", "perhapsTwice"], amount),
  /** Of the lines, further ones of the same rows that stay as an earlier part wrote them are kept. */
  ...each(["lines", "kept"], amount),
  ...each(["attempts", "unanswered"], amount),
});
export type Tally = Readonly<z.infer<typeof tallySchema>> & { readonly counts: StatusCounts };

export const checkpointSchema = z.object({
  /** Rows of the run that stand in the results. */
  rows: amount,
  resultsBytes: amount,
  tally: tallySchema,
});

/** How far the results are on disk: nothing before that is needed again. */
export type Checkpoint = Readonly<z.infer<typeof checkpointSchema>> & { readonly tally: Tally };

export const endSchema = z.object({
  /** The name of the file with the new results, in the folder of the results. */
  from: fileName,
  /** The new manifest, sealed: it says what the new files are. */
  manifest: strictManifestSchema,
});

/** The end of a part: all new files are on the disk, and only their names are left to be changed. */
export type AccountEnd = Readonly<z.infer<typeof endSchema>>;

const ofEvent = {
  /** Number of the row in the run, from 1. */
  rowOfRun: ordinal,
  /** Which of the mapping's events, from 1. */
  event: amount,
  /** Attempts before it, or of it, that were never answered. */
  unanswered: amount,
};

const intentSchema = z.object({
  kind: z.literal("intent"),
  ...ofEvent,
  /** Which attempt it is, from 1. */
  attempt: ordinal,
  /** The time that every attempt of the event carries. */
  importedAt: moment,
});

export type Intent = Readonly<z.infer<typeof intentSchema>>;

const attemptedSchema = z.object({
  kind: z.literal("attempted"),
  ...ofEvent,
  attempts: amount,
  /** Blank if none was sent in this part. */
  importedAt: moment.or(z.literal("")),
  httpStatus: amount.exactOptional(),
});

const outcomeSchema: z.ZodType<Outcome> = z.object({
  status: z.enum(outcomeStatuses),
  event: amount.exactOptional(),
  eventId: text.exactOptional(),
  httpStatus: amount.exactOptional(),
  attempts: amount,
  unanswered: amount,
  errorCode: text.exactOptional(),
  error: text.exactOptional(),
  finishedAt: moment.exactOptional(),
});

export const eventRecordSchemas = [
  intentSchema,
  attemptedSchema,
  z.object({ kind: z.literal("outcome"), rowOfRun: ordinal, outcome: outcomeSchema }),
] as const;

/** What the journal knows of an event that is not in the results yet. */
export type EventRecord =
  /** Perhaps sent: an intent is on record, and nothing after it. */
  | Intent
  /** Attempts have ended without an outcome for their event; none of them is in flight. */
  | Readonly<z.infer<typeof attemptedSchema>>
  | { readonly kind: "outcome"; readonly rowOfRun: number; readonly outcome: Outcome };

/** Size and hash of a file, by which it is recognized. */
export type Fingerprint = Readonly<z.infer<typeof fingerprint>>;
