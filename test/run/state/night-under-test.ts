import type { Disk } from "../../../src/model/disk/disk.ts";
import type { LoadEvent } from "../../../src/model/event.ts";
import type { Differences } from "../../../src/run/options/run-events.ts";
import { compareInput, isOver } from "../../../src/run/state/compare.ts";
import { fateOf } from "../../../src/run/state/known-keys.ts";
import { createNightWriter, type Effect } from "../../../src/run/state/night.ts";
import type { StateOwner } from "../../../src/run/state/state-log.ts";
import { openState, type StateLog } from "../../../src/run/state/state-log.ts";

export const path = "people.state.jsonl";
export const owner: StateOwner = {
  baseUrl: "https://example.com",
  orderingKey: ["Email"],
  shard: null,
};

/** A row of an input: its key, and the values of its events. */
export type TestRow =
  | { readonly kind: "events"; readonly key: string; readonly values: readonly string[] }
  | { readonly kind: "invalid" | "skipped"; readonly key?: string };

export function event(value: string): LoadEvent {
  const text = JSON.stringify({ event: "contact.updated", value });
  return {
    ...{ id: value, index: 1, name: "contact.updated", resource: "contacts", method: "POST" },
    data: () => text,
    body: () => text,
  };
}

export function events(...values: readonly string[]): LoadEvent[] {
  return values.map(event);
}

let time = 0;
/** A log that looks after every write whether it has changed. */
export function open(disk: Disk, changes: Partial<StateOwner> = {}): Promise<StateLog> {
  const now = () => (time += 100);
  return openState({ disk, path, owner: { ...owner, ...changes }, now, warn: () => {} });
}

export function compare(
  { keys }: StateLog,
  rows: readonly TestRow[],
  makesGone = true,
): Differences {
  const input = {
    ...{ makesGoneEvents: makesGone, onKeyFailure: "block" as const, keyOf: undefined },
    mapRow: () => ({ kind: "invalid" as const, problems: [] }),
  };
  const comparison = compareInput(keys, input, 0);
  rows.forEach(({ kind, key, ...more }, at) => {
    comparison.see(
      { row: at + 1, line: at + 2, cells: [] },
      {
        events: "values" in more ? events(...more.values) : [],
        problems: kind === "invalid" ? [{ code: "not_a_number", message: "is wrong" }] : [],
        ...{ outcomes: [], orderingKey: key },
      },
    );
  });
  return comparison.differences();
}

export interface NightPorts {
  readonly date: string;
  readonly makesGone: boolean;
  readonly random: () => number;
  /** Sends a value for a key, or undefined if it is gone. */
  readonly send: (key: string, value: string | undefined) => Effect;
}

/** How many events are sent at a time. */
const atOnce = 3;

/**
 * A night, as an import makes it: events of several keys leave at a time, those of a key one after another, and
 * after a failure the others of the key never leave.
 */
export async function runNight(
  disk: Disk,
  rows: readonly TestRow[],
  { date, makesGone, random, send }: NightPorts,
): Promise<Differences> {
  const log = await open(disk);
  const found = compare(log, rows, makesGone);
  if (isOver(found)) return found;
  await log.begin({ run: `${date}T01:00:00.000Z`, results: `${date}.csv`, input: "people.csv" });
  const writer = createNightWriter(log);
  const waiting = new Map<string, string[]>();
  const failed = new Set<string>();

  const sendSome = async () => {
    const keys = [...waiting.keys()].filter(() => random() < 0.7).slice(0, atOnce);
    for (const key of keys) if (!failed.has(key)) writer.leaving(key);
    await log.write(true);
    for (const key of keys.toSorted(() => random() - 0.5)) {
      const values = waiting.get(key) ?? [];
      const value = values.shift();
      const effect = failed.has(key) ? "none" : send(key, value);
      if (values.length === 0) waiting.delete(key);
      if (effect !== "succeeded") failed.add(key);
      writer.settled(key, event(value ?? ""), effect);
    }
  };

  for (const row of rows) {
    if (row.kind !== "events") continue;
    const entry = log.keys.get(row.key);
    if (entry === undefined || !["new", "changed", "open"].includes(fateOf(entry))) continue;
    if (!writer.take(row.key, row.values.length)) throw new Error("the input has changed");
    waiting.set(row.key, [...(waiting.get(row.key) ?? []), ...row.values]);
    if (random() < 0.5) await sendSome();
  }
  while (waiting.size > 0) await sendSome();
  if (found.gone > 0) {
    for await (const key of writer.goneKeys()) {
      writer.leaving(key);
      await log.write(true);
      writer.settled(key, event(""), send(key, undefined));
    }
  }
  await log.end(`${date}T02:00:00.000Z`);
  await log.close();
  return found;
}
