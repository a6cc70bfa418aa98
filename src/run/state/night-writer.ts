import type { Outcome } from "../../model/outcome.ts";
import type { Differences } from "../options/run-events.ts";
import {
  addEvents,
  type EventData,
  eventsLeft,
  fateOf,
  flags,
  hasFlag,
  type KeyEntry,
  type Known,
  setFlag,
  takeEvents,
  takenDigest,
} from "./known-keys.ts";
import type { StateLog } from "./state-log.ts";

/** What an attempt to send an event did to the service: it took effect, or surely not, or nobody knows. */
export type Effect = "succeeded" | "none" | "unknown";

/** Keeps the state right while a night sends. */
export interface NightWriter {
  /**
   * The events of a row are about to be handed to delivery. Each is `settled` later.
   *
   * @returns false if the input has changed since it was compared: then they must not be sent
   */
  take(key: string, events: number): boolean;
  /** An event of the key, or of a key that is gone, is about to leave: it may after the next `write`. */
  leaving(key: string): void;
  /** An event of the key has its outcome, or gets none in this run; the events of a key in their order. */
  settled(key: string, event: EventData, effect: Effect): void;
  /** Keys that the service has, or may have, and the input does not; in the order of the log. */
  goneKeys(): AsyncGenerator<string>;
}

/** @param log of a night that has begun */
export function createNightWriter(
  log: StateLog,
  { unreadableRows }: Pick<Differences, "unreadableRows">,
): NightWriter {
  const { keys } = log;
  /** The keys with events that were taken and have not settled. No key is added to the table while they are. */
  const inFlight = new Map<string, { readonly entry: KeyEntry; events: number }>();
  const entryOf = (key: string) => inFlight.get(key)?.entry ?? keys.entry(key);

  const put = (key: string, entry: KeyEntry, known: Known) => {
    setFlag(entry, flags.isUnsure, false);
    keys.setKnown(entry, known);
    log.put(key, known);
  };

  return {
    take(key, events) {
      const entry = keys.get(key);
      if (entry === undefined || !takeEvents(entry, events)) return false;
      const known = inFlight.get(key);
      if (known === undefined) inFlight.set(key, { entry, events });
      else known.events += events;
      return true;
    },
    leaving(key) {
      const entry = entryOf(key);
      if (hasFlag(entry, flags.isUnsure) || hasFlag(entry, flags.isOpen)) return;
      setFlag(entry, flags.isUnsure);
      log.put(key, { kind: "open" });
    },
    settled(key, event, effect) {
      const entry = entryOf(key);
      if (fateOf(entry) === "missing") {
        if (effect === "succeeded") put(key, entry, { kind: "nothing" });
        if (effect === "none") put(key, entry, keys.known(entry));
        return;
      }
      if (effect === "succeeded") addEvents(entry, [event]);
      else setFlag(entry, flags.hasFailed);
      if (effect !== "none") setFlag(entry, flags.hasArrived);
      const taken = inFlight.get(key);
      if (taken !== undefined && --taken.events > 0) return;
      inFlight.delete(key);
      if (!hasFlag(entry, flags.hasFailed)) {
        const known: Known = { kind: "events", digest: takenDigest(entry) };
        if (eventsLeft(entry) === 0) put(key, entry, known);
      } else if (hasFlag(entry, flags.isUnsure) && !hasFlag(entry, flags.hasArrived)) {
        put(key, entry, keys.known(entry)); // what it had before tonight
      }
    },
    async *goneKeys() {
      if (unreadableRows > 0) return;
      for await (const key of log.keyTexts()) {
        const entry = keys.entry(key);
        if (fateOf(entry) !== "missing" || hasFlag(entry, flags.isListed)) continue;
        setFlag(entry, flags.isListed);
        yield key;
      }
    },
  };
}

/** What an event did to the service, as far as its outcome tells. */
export function effectOf({ status, attempts, unanswered, httpStatus }: Outcome): Effect {
  if (status === "succeeded") return "succeeded";
  if (unanswered > 0) return "unknown";
  if (attempts === 0 || httpStatus === undefined) return "none"; // it was not sent
  // Of several attempts, only the last one's status is known; anything but a 4xx may have taken effect.
  const isRefused = attempts === 1 && httpStatus >= 400 && httpStatus < 500;
  return isRefused ? "none" : "unknown";
}
