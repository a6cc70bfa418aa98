import { z } from "zod";
import { strictManifestSchema } from "./manifest.ts";
import { amount, each, fingerprint, longText, moment, ordinal, shortHash } from "./members.ts";
import type { Outcome } from "./outcome.ts";
import { figuresSchema } from "./run-figures.ts";
import { pauseReasons } from "./sending-state.ts";
import { stopCodes } from "./stop.ts";

/* The records of a journal, but for the one that says which run it is of. Times in milliseconds count from the beginning of the process. */

/** More than thirty years: no time is longer. */
const maxRecordedMs = 1e12;
const ms = z.number().nonnegative().max(maxRecordedMs);

const triedSchema = z.object({
  sentMs: ms,
  endedMs: ms,
  kind: z.enum(["answered", "unanswered", "not_sent"]),
  httpStatus: amount.exactOptional(),
  isRetry: z.literal(true).exactOptional(),
  /** The kind of the event, the body's `event`. */
  event: z.string(),
});

export type Tried = Readonly<z.infer<typeof triedSchema>>;

const ofEvent = {
  /** Number of the row in the part, from 1. */
  rowOfRun: ordinal,
  /** Which of the mapping's events, from 1. */
  event: amount,
};

const intentSchema = z.object({
  kind: z.literal("intent"),
  ...ofEvent,
  row: ordinal,
  /** The number of the attempt, from 1. */
  attempt: ordinal,
  /** Earlier attempts that were never answered. */
  unanswered: amount,
  /** The time that every attempt of the event carries. */
  importedAt: moment,
  /** In a night: the ordering key, in its first intent. */
  key: z.string().exactOptional(),
  /** All events of the row, if there are several. */
  events: z.array(amount).readonly().exactOptional(),
});

export type Intent = Readonly<z.infer<typeof intentSchema>>;

const attemptSchema = z.object({
  kind: z.literal("attempt"),
  ...ofEvent,
  row: ordinal,
  attempts: amount,
  unanswered: amount,
  /** Blank if none was sent in this part. */
  importedAt: moment.or(z.literal("")),
  httpStatus: amount.exactOptional(),
  /** Absent if the attempt was withdrawn unsent. */
  tried: triedSchema.exactOptional(),
});

/** Attempts are over without an outcome for their event; none of them is in flight. */
export type AttemptRecord = Readonly<z.infer<typeof attemptSchema>>;

const lineSchema = z.object({
  kind: z.literal("line"),
  rowOfRun: ordinal,
  /** The line's place among those of its row, from 0. */
  at: amount,
  /** The line of the results: it alone says what became of the event. */
  text: z.string(),
  /** Where eventload's own cells begin in the text. */
  ownAt: amount,
  atMs: ms,
  isLast: z.literal(true).exactOptional(),
  /** Whether the line stays as an earlier part wrote it. */
  isKept: z.literal(true).exactOptional(),
  /** The digest of the line's ordering key, if it holds that back: 16 hex digits. */
  holdsBack: z.string().exactOptional(),
  tried: triedSchema.exactOptional(),
});

/** An event has its outcome, or a row without one. */
export type LineRecord = Readonly<z.infer<typeof lineSchema>>;

const keySchema = z.object({
  kind: z.literal("key"),
  key: z.string(),
  /** The digest of the key's events; or that it has none (`gone`). `away`: the input does not have the key. */
  d: shortHash.exactOptional(),
  /** A short hash of each member, if it is of one event. */
  m: z.string().exactOptional(),
  gone: z.literal(true).exactOptional(),
  away: z.literal(true).exactOptional(),
});

/** In a night: the service has this of a key. */
export type KeyRecord = Readonly<z.infer<typeof keySchema>>;

const arrivedSchema = z.object({
  kind: z.literal("arrived"),
  /** The digest of the row's ordering key, 16 hex digits; absent if nobody knows that. */
  key: shortHash.exactOptional(),
  row: ordinal,
});

/** Of a retry: a row behind one of its key that is to be sent has arrived, or may have. */
export type ArrivedRecord = Readonly<z.infer<typeof arrivedSchema>>;

export const endRecordSchema = z.object({
  manifest: strictManifestSchema,
  /** Of a night, or a retry of one: its new state. */
  state: fingerprint.exactOptional(),
});

/** The end of a part: all new files are on the disk, and only their names are left to be changed. */
export type AccountEnd = Readonly<z.infer<typeof endRecordSchema>>;

const lineBefore = z.object(each(["attempts", "unanswered"], amount));

const otherSchemas = [
  /** Of a retry: a row that was selected, as the loop gets it. */
  z.object({
    kind: z.literal("row"),
    rowOfRun: ordinal,
    row: z.looseObject({
      row: ordinal,
      /** What counts of the row's lines in the account. */
      lines: z.array(lineBefore).readonly().exactOptional(),
    }),
    /** Of a night: the ordering key of the events that are sent. */
    key: z.string().exactOptional(),
  }),
  keySchema,
  arrivedSchema,
  z.object({ kind: z.literal("selected"), rows: amount }),
  /** Sending pauses or, without a reason, goes on. */
  z.object({
    kind: z.literal("hold"),
    atMs: ms,
    reason: z.enum(pauseReasons).exactOptional(),
    message: longText.exactOptional(),
  }),
  /** The service asks the run to wait until then, in epoch milliseconds. */
  z.object({ kind: z.literal("wait"), untilMs: amount }),
  /** So many requests may be in flight from now on, and so many a second where the service takes no more. */
  z.object({
    kind: z.literal("limit"),
    atMs: ms,
    allowed: amount,
    perSecond: z.number().positive().exactOptional(),
  }),
  /** The input ended after so many rows of the part. */
  z.object({ kind: z.literal("over"), rows: amount }),
  z.object({
    kind: z.literal("stop"),
    atMs: ms,
    finishedAt: moment,
    exitReason: z.enum(["complete", ...stopCodes]),
  }),
  z.object({ kind: z.literal("end"), end: endRecordSchema }),
] as const;

export const recordSchemas = [intentSchema, attemptSchema, lineSchema, ...otherSchemas] as const;

/** A record of a journal, but for the one that says which run it is of. */
export type RecordAfterBegin =
  | Intent
  | AttemptRecord
  | LineRecord
  | Readonly<z.infer<(typeof otherSchemas)[number]>>;

export const figuresBefore = figuresSchema.exactOptional();

/** What is on record of an event of a row that is not done. */
export interface EventBefore {
  readonly event: number;
  readonly attempts: number;
  /** Attempts that may have reached the service and were never answered. */
  readonly unanswered: number;
  /** Blank if none was sent in this part. */
  readonly importedAt: string;
  readonly httpStatus?: number;
  readonly outcome?: Outcome;
}

/** A record while it is made. */
export type Writable<Type> = { -readonly [member in keyof Type]: Type[member] };

/** Size and hash of a file, by which it is recognized. */
export type Fingerprint = Readonly<z.infer<typeof fingerprint>>;
