import { crc32 } from "node:zlib";
import type { Disk } from "../../../src/model/disk/disk.ts";
import type { LoadEvent } from "../../../src/model/event.ts";
import type { Differences } from "../../../src/model/run-events.ts";
import { compareInput } from "../../../src/run/state/compare.ts";
import type { KeyState } from "../../../src/run/state/known-keys.ts";
import { openState, type StateFile } from "../../../src/run/state/state-file.ts";
import type { LastNight, StateOwner } from "../../../src/run/state/state-text.ts";
import { createSimulatedDisk, type SimulatedDisk } from "../../journal/simulated-disk.ts";
import { put } from "../account/account-on-disk.ts";

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

export function open(disk: Disk, changes: Partial<StateOwner> = {}): Promise<StateFile> {
  return openState({ disk, path, owner: { ...owner, ...changes } });
}

/** A state as it is rendered. */
export function stateText(
  lines: Readonly<Record<string, KeyState>>,
  nights: LastNight = {},
): string {
  const keys = Object.entries(lines).map(([key, known]) => ({ k: [key], ...known }));
  const rendered = [{ eventload_state: 2, ...owner, ...nights }, ...keys]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
  const sum = crc32(rendered).toString(16).padStart(8, "0");
  return `${rendered}${JSON.stringify({ keys: keys.length, sum })}\n`;
}

/** A disk that holds this text as a state. */
export async function holding(text: string): Promise<SimulatedDisk> {
  const disk = createSimulatedDisk();
  await put(disk, path, text);
  return disk;
}

export function compare(
  { keys }: Pick<StateFile, "keys">,
  rows: readonly TestRow[],
  makesGone = true,
): Differences {
  const input = {
    ...{ makesGoneEvents: makesGone, onKeyFailure: "block" as const },
    keyOf: undefined,
    beginPass: () => Promise.reject(new Error("it is not read again")),
    mapRow: () => ({ kind: "invalid" as const, problems: [] }),
  };
  const comparison = compareInput(keys, input, undefined);
  rows.forEach(({ kind, key, ...more }, at) => {
    comparison.see(
      { row: at + 1, line: at + 2, cells: [] },
      {
        events: "values" in more ? events(...more.values) : [],
        problems: kind === "invalid" ? [{ code: "not_a_number", message: "is wrong" }] : [],
        ...{ lines: [], orderingKey: key },
      },
    );
  });
  return comparison.differences();
}
