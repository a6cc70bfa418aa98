import type { BlockedKeys } from "../model/blocked-keys.ts";
import type { Clock } from "../model/clock.ts";
import type { Endpoint } from "../model/endpoint.ts";
import type { OnKeyFailure, Outcome } from "../model/outcome.ts";
import type { AttemptRecord, Intent, Tried } from "../model/run-record.ts";
import type { DeliveryMode } from "../model/run-settings.ts";
import type { DeliveryNotice, FoundLimits, SendingLimit } from "../model/sending-state.ts";
import type { StatusRules } from "../model/status-rules.ts";
import type { StopController } from "../model/stop.ts";
import type { TokenSource } from "../model/token-source.ts";
import type { ConnectionSettings, Connections } from "./http/connections.ts";
import type { Route } from "./http/route.ts";
import type { Token } from "./http/token.ts";
import type { PendingEvent, PendingRow } from "./pending-event.ts";

export interface DeliverySettings {
  readonly endpoint: Endpoint;
  readonly token: Token;
  /** Where another token comes from if the service no longer accepts this one. */
  readonly tokenSource: TokenSource;
  /** Maximum attempts in flight. */
  readonly concurrency: number;
  /** Whether to detect how much the service can take. */
  readonly adaptive: boolean;
  /** How long an outage may last before the run stops; with 0, exhausted events fail at once. */
  readonly maxOutageMs: number;
  readonly ratePerSecond?: number | undefined;
  /** Maximum attempts per event, from 1. */
  readonly maxAttempts: number;
  /** Deadline of an attempt, from the moment it may be sent to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly mode: DeliveryMode;
  readonly onKeyFailure?: OnKeyFailure;
  readonly idempotencyHeader?: string | undefined;
  /** Default: a direct connection, with the usual certificate authorities. */
  readonly route?: Route;
  readonly statuses: StatusRules;
  /** Whether a success may be a page for a browser; default no: then the first one stops the run. */
  readonly acceptHtml?: boolean | undefined;
  /** Whether the service is known to accept events, as it did in an earlier part or night; default no. */
  readonly isKnown?: boolean;
  /** Until when the service asked an earlier part of the run to wait, in epoch milliseconds. */
  readonly waitUntil?: number | undefined;
  /** What the service took at the end of an earlier process of the run. */
  readonly found?: FoundLimits | undefined;
  /** When the process began, by the clock: the times of records count from it. */
  readonly startedMs: number;
}

export interface DeliveryTap {
  /**
   * An attempt began or ended: so many may be in flight, this has kept more from being sent, and the service takes so
   * many a second, as far as that was found.
   */
  limited(allowed: number, limit: SendingLimit | undefined, foundPerSecond?: number): void;
  notice(notice: DeliveryNotice): void;
}

/** Records what is about to be sent and what became of it, in batches. */
export interface DeliveryJournal {
  /** Adds to the next batch, which is soon written. */
  add(record: Intent | AttemptRecord | { readonly kind: "wait"; readonly untilMs: number }): void;
  /**
   * Writes and syncs what was added since the last batch.
   *
   * @returns whether what it says may be sent: not if the journal cannot be written, or has no room for more
   */
  write(): Promise<boolean>;
}

export interface DeliveryPorts {
  readonly connect: (settings: ConnectionSettings) => Connections;
  readonly journal: DeliveryJournal;
  readonly tap: DeliveryTap;
  readonly clock: Clock;
  readonly stop: StopController;
  /** Keys that are blocked from the beginning, and then those that this run blocks. */
  readonly blockedKeys: BlockedKeys;
  /** Whether the reader waits for rows to settle before it reads on; default no. */
  readonly isReaderWaiting?: () => boolean;
  /** An event has an outcome that no interrupted part of the run had recorded. */
  readonly onOutcome?: (event: PendingEvent, outcome: Outcome, tried?: Tried) => void;
  /** Every event of the row has its outcome. */
  readonly onSettled: (row: PendingRow) => void;
}
