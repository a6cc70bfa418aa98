import type { Disk } from "../../../src/model/disk/disk.ts";
import type { LoadEvent } from "../../../src/model/event.ts";
import type { Differences } from "../../../src/run/options/run-events.ts";
import { compareInput } from "../../../src/run/state/compare.ts";
import { openState, type StateLog, type StateOwner } from "../../../src/run/state/state-log.ts";

export const path = "people.state.jsonl";
const owner: StateOwner = {
  base_url: "https://example.com",
  ordering_key: ["Email"],
  shard: null,
};

export const night = {
  ...{ run: "2026-11-22T01:00:00.000Z", results: "out/people.csv", input: "people.csv" },
  ...{ of: "0123456789abcdef", ids: "fedcba9876543210" },
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
  return openState({ disk, path, owner: { ...owner, ...changes }, now });
}

export function compare(
  { keys }: StateLog,
  rows: readonly TestRow[],
  makesGone = true,
): Differences {
  const input = {
    ...{ makesGoneEvents: makesGone, onKeyFailure: "block" as const },
    mapRow: () => ({ kind: "invalid" as const, problems: [] }),
  };
  const comparison = compareInput(keys, input, undefined);
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
