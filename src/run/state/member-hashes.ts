import { crc32 } from "node:zlib";
import { copyOf } from "../../model/groups.ts";
import type { ChangedMember } from "../../model/run-events.ts";
import type { Comparison } from "./compare.ts";
import { type EventData, fateOf, knownOf } from "./known-keys.ts";
import type { StateFile } from "./state-file.ts";

/* Which members of an event changed since the last night. The state has a short hash of each, so it can tell. */

/** Of a name, and of a value: 15 bits. */
const hashChars = 3;
const pairChars = 2 * hashChars;
/** Events with more members are changed as a whole. */
const mostMembers = 64;

/** A hash of the name and the value of each member of an event; undefined if it has too many. */
export function memberHashes(event: EventData): string | undefined {
  const members = [...membersOfBody(JSON.parse(event.data()))];
  if (members.length > mostMembers) return undefined;
  return members.map(([name, value]) => hashOf(name) + hashOf(value)).join("");
}

export type ChangedMembers = Awaited<ReturnType<typeof openChangedMembers>>;

/** Of so many keys at most: their hashes are held in memory. */
const mostChanged = 10_000;

/** Counts by member how many keys changed, once the differences are known: looks for what the service had. */
export async function openChangedMembers(
  { keys, keyLines, keyRecords }: StateFile,
  { listedKeys }: Comparison,
) {
  const before = new Map<string, string>();
  const listed = listedKeys();
  for (const batches of [keyLines((key) => listed?.has(key) ?? true), keyRecords()]) {
    for await (const batch of batches) {
      for (const one of batch) {
        if (typeof one === "string" || before.size === mostChanged) continue;
        const { key, known } = one;
        const entry = keys.entry(key);
        if (fateOf(entry) !== "changed" || knownOf(entry).d !== known.d) continue;
        // Copies: both are pieces of a long text, which would stay with them.
        if (known.m !== undefined)
          before.set(copyOf(key, key.length), copyOf(known.m, known.m.length));
      }
    }
  }
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  return {
    /** The only event of a key. */
    see(key: string, event: EventData) {
      const hashes = before.get(key);
      if (hashes === undefined) return;
      const had = new Map<string, string>();
      for (let at = 0; at < hashes.length; at += pairChars) {
        const valueAt = at + hashChars;
        had.set(hashes.slice(at, valueAt), hashes.slice(valueAt, valueAt + hashChars));
      }
      const changed = new Set<string>();
      for (const [name, value] of membersOfBody(JSON.parse(event.data()))) {
        const hashed = hashOf(name);
        names.set(hashed, name);
        if (had.get(hashed) !== hashOf(value)) changed.add(hashed);
        had.delete(hashed);
      }
      for (const hashed of [...changed, ...had.keys()]) {
        counts.set(hashed, (counts.get(hashed) ?? 0) + 1);
      }
    },
    /** The members that most keys changed by first. One that no event of tonight has is not named. */
    counts(): ChangedMember[] {
      return [...counts]
        .flatMap(([hashed, keys]) => {
          const member = names.get(hashed);
          return member === undefined ? [] : [{ member, keys }];
        })
        .toSorted((one, other) => other.keys - one.keys);
    },
  };
}

/** The members of a body by their paths, such as `profile.first_name`, each with its value as JSON. */
function* membersOfBody(body: object, within = ""): Generator<[name: string, value: string]> {
  for (const [name, value] of Object.entries(body)) {
    const path = within + name;
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isObject) yield* membersOfBody(value, `${path}.`);
    else yield [path, JSON.stringify(value)];
  }
}

function hashOf(text: string): string {
  return (crc32(text) % 36 ** hashChars).toString(36).padStart(hashChars, "0");
}
