import { contentOf, type LoadEvent } from "../../model/event.ts";
import { createHashTable, digestOf, digestOfHex, hexOf } from "../../model/hash-table.ts";

/** What the service has of a key, as a line of the state says it, or a record of the journal. */
export interface KeyState {
  /** The events of this digest, which is 16 hex digits. Without one, some of its events may have arrived. */
  readonly d?: string;
  /** A short hash of each member, if it is of one event. It is in no table: there may be millions of keys. */
  readonly m?: string;
  /** Nothing: nothing was sent or took effect, or it knows that the key is gone. */
  readonly gone?: true;
  /** The last input did not have the key, and the service does not know it. */
  readonly away?: true;
}

export type KeyFate =
  /** The key's events are sent: the service has nothing of it, or other events, or nobody knows what. */
  | "new"
  | "changed"
  | "open"
  /** Nothing of the key is sent: it is the same, a row of it is invalid, or the mapping leaves all its rows out. */
  | "unchanged"
  | "invalid"
  | "left_out"
  /** The service has something of it, or may have, and the input has no row. */
  | "missing"
  | "nothing";

/** The part of an event that is compared: its `meta` members differ every night. */
export type EventData = Pick<LoadEvent, "resource" | "method" | "data">;

/** What is known of a key, and what tonight's input gives: the words of the table, good until a key is added. */
export type KeyEntry = Uint32Array;

const [knownHigh, knownLow, tonightHigh, tonightLow, flagsWord] = [0, 1, 2, 3, 4] as const;
const wordCount = 5;
/** With the table's usual growth, a key could take 41 bytes. */
const tableGrowth = 0.25;

export const flags = {
  hasEvents: 1,
  isNotKnown: 2,
  /** The input has a row of it; an invalid one. */
  isSeen: 4,
  isInvalid: 8,
  /** Some of the key's events were taken. */
  isTaken: 16,
  /** An event that was taken did not succeed; one took effect, or may have. */
  hasFailed: 32,
  hasArrived: 64,
  /** An event of the key has an intent tonight, and what came of it is not known. */
  isUnsure: 128,
  /** The state has a line of the key. */
  isInFile: 256,
  isAway: 512,
} as const;
type Flag = (typeof flags)[keyof typeof flags];
/** The bits above count the events that are not taken. With more than fit, the key stays open. */
const oneEvent = 1024;
const maxEvents = 2 ** 32 / oneEvent - 1;

export type KnownKeys = ReturnType<typeof createKnownKeys>;

/** What the service has and what the input gives, by key; at most 40 bytes a key, however long the keys are. */
export function createKnownKeys() {
  const table = createHashTable(wordCount, tableGrowth);
  // A key is asked for several times in a row, and a digest takes a microsecond.
  let last = { key: "", ...digestOf("") };
  const digestOfKey = (key: string) => {
    if (key !== last.key) last = { key, ...digestOf(key) };
    return last;
  };

  return {
    get size() {
      return table.size;
    },
    get bytes() {
      return table.bytes;
    },
    forEach: table.forEach,
    get: (key: string): KeyEntry | undefined => table.get(digestOfKey(key)),
    /** The entry of a key; adds a key of which nothing is known. */
    entry: (key: string): KeyEntry => table.entry(digestOfKey(key)),
  };
}

export function knownOf(entry: KeyEntry): KeyState {
  if (hasFlag(entry, flags.isNotKnown)) return notKnown(entry);
  if (!hasFlag(entry, flags.hasEvents)) return { gone: true };
  const d = hexOf({ high: entry[knownHigh] ?? 0, low: entry[knownLow] ?? 0 });
  return { d, ...notKnown(entry) };
}

/** What the state is to say of the key by now. */
export function renderedOf(entry: KeyEntry): KeyState {
  return hasFlag(entry, flags.isUnsure) ? notKnown(entry) : knownOf(entry);
}

/** Nobody knows what the service has of the key; whether the input lacks it stays. */
export function notKnown(entry: KeyEntry): KeyState {
  return hasFlag(entry, flags.isAway) ? { away: true } : {};
}

export function setKnown(entry: KeyEntry, { d, gone, away }: KeyState): void {
  setFlag(entry, flags.isAway, away === true);
  setFlag(entry, flags.hasEvents, d !== undefined);
  setFlag(entry, flags.isNotKnown, d === undefined && gone === undefined);
  if (d === undefined) return;
  const { high, low } = digestOfHex(d);
  [entry[knownHigh], entry[knownLow]] = [high, low];
}

export function hasFlag(entry: KeyEntry, flag: Flag): boolean {
  return ((entry[flagsWord] ?? 0) & flag) !== 0;
}

export function setFlag(entry: KeyEntry, flag: Flag, isSet = true): void {
  const before = entry[flagsWord] ?? 0;
  entry[flagsWord] = isSet ? before | flag : before & ~flag;
}

/** Whether the service has something of the key, or may have. */
export function isLive(entry: KeyEntry): boolean {
  return hasFlag(entry, flags.hasEvents) || hasFlag(entry, flags.isNotKnown);
}

/** The input has a row of the key, with these events: none if the mapping leaves it out. */
export function seeRow(entry: KeyEntry, events: readonly EventData[]): void {
  setFlag(entry, flags.isSeen);
  addEvents(entry, events);
  setEventsLeft(entry, Math.min(maxEvents, eventsLeft(entry) + events.length));
}

/** What the night does with the key, once all rows were seen. While its events are taken, it stays so. */
export function fateOf(entry: KeyEntry): KeyFate {
  if (!hasFlag(entry, flags.isSeen)) return isLive(entry) ? "missing" : "nothing";
  if (hasFlag(entry, flags.isInvalid)) return "invalid";
  const isTaken = hasFlag(entry, flags.isTaken);
  if (!isTaken && eventsLeft(entry) === 0) return "left_out";
  if (!isLive(entry)) return "new";
  if (hasFlag(entry, flags.isNotKnown)) return "open";
  const isSame = entry[knownHigh] === entry[tonightHigh] && entry[knownLow] === entry[tonightLow];
  return isSame && !isTaken ? "unchanged" : "changed";
}

export function isSent(fate: KeyFate | undefined): boolean {
  return fate === "new" || fate === "changed" || fate === "open";
}

/**
 * So many events of a row are about to be sent. From the first on, the digest is made anew: it is of what is sent.
 *
 * @returns false if there are more than there were when all rows were seen: the input has changed since
 */
export function takeEvents(entry: KeyEntry, count: number): boolean {
  const left = eventsLeft(entry);
  if (count > left) return false;
  if (!hasFlag(entry, flags.isTaken)) [entry[tonightHigh], entry[tonightLow]] = [0, 0];
  setFlag(entry, flags.isTaken);
  if (left < maxEvents) setEventsLeft(entry, left - count);
  return true;
}

export function eventsLeft(entry: KeyEntry): number {
  return Math.floor((entry[flagsWord] ?? 0) / oneEvent);
}

export function isOnly(entry: KeyEntry, event: EventData): boolean {
  const { high, low } = digestOf(digestedText(0, 0, event));
  return entry[tonightHigh] === high && entry[tonightLow] === low;
}

export function takenDigest(entry: KeyEntry): string {
  return hexOf({ high: entry[tonightHigh] ?? 0, low: entry[tonightLow] ?? 0 });
}

/** Each digest is of the one before and of an event, so the order counts. */
export function addEvents(entry: KeyEntry, events: readonly EventData[]): void {
  for (const event of events) {
    const [before, beforeLow] = [entry[tonightHigh] ?? 0, entry[tonightLow] ?? 0];
    const { high, low } = digestOf(digestedText(before, beforeLow, event));
    entry[tonightHigh] = high;
    entry[tonightLow] = low;
  }
}

function digestedText(high: number, low: number, event: EventData): string {
  return `${high} ${low} ${event.resource}\n${contentOf(event)}`;
}

function setEventsLeft(entry: KeyEntry, count: number): void {
  entry[flagsWord] = ((entry[flagsWord] ?? 0) % oneEvent) + count * oneEvent;
}
