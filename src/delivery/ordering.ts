import { hash } from "node:crypto";
import { holdsBackKey, type OnKeyFailure } from "../model/key-failure.ts";
import type { Outcome, OutcomeStatus } from "../model/outcome.ts";
import type { PendingRow } from "../model/pending-row.ts";
import { Fifo } from "./fifo.ts";
import type { PendingEvent } from "./pending-event.ts";

/**
 * Keeps the rows of each ordering key in file order: it sends one event per key at a time, and if one does
 * not succeed, those after it may be blocked, because they would arrive out of order.
 */
export interface Ordering {
  /** Sends the events of a row when all earlier rows of its key have settled. */
  add(row: PendingRow<PendingEvent>, key: string): void;
  /** An event of the row was sent and has settled. */
  settled(row: PendingRow<PendingEvent>, status: OutcomeStatus): void;
  /**
   * A row whose outcome is known without sending takes its place in the order of its key: it may
   * block rows after it, but not rows before it.
   */
  pass(key: string, row: number, status: OutcomeStatus): void;
  /** Blocks the rows after one that did not succeed in an interrupted run. */
  block(key: string, row: number): void;
}

export interface OrderingPorts {
  readonly onKeyFailure: OnKeyFailure;
  /** Sends an event. @returns its outcome, if that is known at once */
  readonly begin: (event: PendingEvent) => Outcome | undefined;
  /** @param blocker number of the row because of which it is blocked */
  readonly settleBlocked: (event: PendingEvent, blocker: number) => void;
}

/** The rows of a key that wait behind the current one; a number is a row that blocks the key in its turn. */
type Line = Fifo<PendingRow<PendingEvent> | number>;

export function createOrdering({ onKeyFailure, begin, settleBlocked }: OrderingPorts): Ordering {
  /** One for each key with a pending row; most have no row that waits. */
  const lines = new Map<string, Line | undefined>();
  const blockedKeys = createBlockedKeys();

  const append = (key: string, next: PendingRow<PendingEvent> | number) => {
    const line = lines.get(key) ?? new Fifo();
    line.push(next);
    lines.set(key, line);
  };

  /** Sends the next event of the row, and then of those behind it: one at a time. */
  const takeTurn = (row: PendingRow<PendingEvent>, key: string) => {
    let next: PendingRow<PendingEvent> | number | undefined = row;
    while (next !== undefined) {
      if (typeof next === "number") blockedKeys.block(key, next);
      else if (beginNextOf(next, key)) return;
      next = lines.get(key)?.shift();
    }
    lines.delete(key);
  };

  /** @returns whether one of its events was begun; if not, all have their outcome */
  const beginNextOf = (row: PendingRow<PendingEvent>, key: string): boolean => {
    while (row.unsettled > 0) {
      const place = row.events.length - row.unsettled;
      const event = row.events[place] as PendingEvent;
      const blocker = blockedKeys.rowOf(key);
      // What an interrupted run has settled stays as it was.
      if (blocker !== undefined && row.outcomes[place] === undefined) {
        settleBlocked(event, blocker);
        continue;
      }
      const known = begin(event);
      if (known === undefined) return true;
      if (holdsBackKey(known.status, onKeyFailure)) blockedKeys.block(key, row.row.row);
    }
    return false;
  };

  return {
    add(row, key) {
      if (lines.has(key)) return append(key, row);
      lines.set(key, undefined);
      takeTurn(row, key);
    },
    settled(row, status) {
      const { orderingKey: key } = row;
      if (key === undefined) return;
      if (holdsBackKey(status, onKeyFailure)) blockedKeys.block(key, row.row.row);
      takeTurn(row, key);
    },
    pass(key, row, status) {
      if (!holdsBackKey(status, onKeyFailure)) return;
      if (lines.has(key)) append(key, row);
      else blockedKeys.block(key, row);
    },
    block: blockedKeys.block,
  };
}

/** The blocked keys, each with the number of the row that blocks it. */
export interface BlockedKeys {
  /** Only the first row given for a key counts. */
  block(key: string, row: number): void;
  /** Undefined if the key is not blocked. */
  rowOf(key: string): number | undefined;
  /** The memory they take, in bytes. */
  readonly bytes: number;
}

const digestWords = 3;
const slotWords = digestWords + 2;
const firstSlots = 16;

/**
 * Keeps only 96 bits of the digest of each key, in one array: if nearly all of a file fails,
 * this is all that grows. It takes 27 to 53 bytes a key, however long the key is, and half as much
 * again for a moment as it grows. Among a million keys that failed and a billion looked up, the
 * chance that one is taken for another is about 1 in 10^13.
 */
export function createBlockedKeys(): BlockedKeys {
  let slots = firstSlots;
  let words = new Uint32Array(slots * slotWords);
  let count = 0;

  /** The slot of a digest, or the free slot where it belongs. */
  const find = (digest: Uint32Array): number => {
    let slot = (digest[0] ?? 0) % slots;
    for (;;) {
      const at = slot * slotWords;
      if (isFree(words, at) || digest.every((word, index) => words[at + index] === word)) return at;
      slot = (slot + 1) % slots;
    }
  };
  const grow = () => {
    const before = words;
    slots *= 2;
    words = new Uint32Array(slots * slotWords);
    for (let at = 0; at < before.length; at += slotWords) {
      if (isFree(before, at)) continue;
      const entry = before.subarray(at, at + slotWords);
      words.set(entry, find(entry.subarray(0, digestWords)));
    }
  };

  return {
    block(key, row) {
      if ((count + 1) * 4 > slots * 3) grow();
      const digest = digestOf(key);
      const at = find(digest);
      if (!isFree(words, at)) return;
      words.set(digest, at);
      writeRow(words, at, row);
      count++;
    },
    rowOf(key) {
      if (count === 0) return undefined;
      const at = find(digestOf(key));
      return isFree(words, at) ? undefined : readRow(words, at);
    },
    get bytes() {
      return words.byteLength;
    },
  };
}

function digestOf(key: string): Uint32Array {
  const bytes = hash("sha256", key, "buffer");
  return Uint32Array.from({ length: digestWords }, (_, at) => bytes.readUInt32LE(4 * at));
}

/** Row numbers are stored plus one, so that a slot of zeros is free. */
function writeRow(words: Uint32Array, at: number, row: number): void {
  words[at + digestWords] = (row + 1) % 2 ** 32;
  words[at + digestWords + 1] = Math.floor((row + 1) / 2 ** 32);
}

function readRow(words: Uint32Array, at: number): number {
  const [low = 0, high = 0] = words.subarray(at + digestWords, at + slotWords);
  return high * 2 ** 32 + low - 1;
}

function isFree(words: Uint32Array, at: number): boolean {
  return words[at + digestWords] === 0 && words[at + digestWords + 1] === 0;
}
