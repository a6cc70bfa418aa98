import type { LoadEvent } from "../domain/event.ts";
import type { EventRecord } from "../domain/run-record.ts";
import { beginHistory, type EventHistory } from "./event-history.ts";
import { type Errand, openPass, type Pass } from "./service-gate.ts";

/** An event to be sent, and what is known of it from before. */
export interface EventInHand {
  readonly event: LoadEvent;
  /** Number of its row in the input, for messages. */
  readonly row: number;
  /** Number of its row in the run. */
  readonly rowOfRun: number;
  /** What an interrupted run put on record of it. */
  readonly before: EventRecord | undefined;
  /** Whether later events of its key wait for it. */
  readonly holdsBack: () => boolean;
}

/** Why an attempt is made; one with a new token repeats what the old one was to blame for. */
export type AttemptReason = "first" | "retry" | "new_token";

/** What the next attempt of an event depends on. One object, as a row has little else of its own. */
export interface EventUnderWay {
  readonly inHand: EventInHand;
  readonly history: EventHistory;
  /** Whether it goes ahead of all others. */
  isFirst: boolean;
  /** Whether it has not had a place on the wire yet. */
  isQueued: boolean;
  why: AttemptReason;
  errand: Errand;
  pass: Pass;
  /** Whether the attempt before met a token that was not accepted. */
  hasNewToken: boolean;
  /** Attempts that count, since it began or began afresh. */
  tries: number;
  /** Attempts that the service put off. */
  putOffs: number;
  /** Probes one after another that it was. */
  probes: number;
  /** The number of its last attempt among all, and of the one before; 0 where there is none. */
  lastDeparture: number;
  departureBefore: number;
  /** How many attempts had left when it first failed. */
  sinceFirst: number | undefined;
  /** The number of the attempt in which it first failed. */
  firstDeparture: number;
  /** Whether the event itself could be why it fails. */
  isPerhapsItsOwn: boolean;
}

export function beginEvent(
  inHand: EventInHand,
  before: Exclude<EventRecord, { kind: "outcome" }> | undefined,
): EventUnderWay {
  return {
    inHand,
    history: beginHistory(inHand.event, inHand.rowOfRun, before),
    isFirst: false,
    isQueued: true,
    why: "first",
    errand: "first",
    pass: openPass,
    hasNewToken: false,
    tries: 0,
    putOffs: 0,
    probes: 0,
    lastDeparture: 0,
    departureBefore: 0,
    sinceFirst: undefined,
    firstDeparture: 0,
    isPerhapsItsOwn: false,
  };
}
