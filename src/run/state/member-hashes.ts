import { crc32 } from "node:zlib";
import type { ChangedMember } from "../options/run-events.ts";
import type { EventData } from "./known-keys.ts";

/* Which members of an event changed since the last night. The state has a short hash of each, so it can tell. */

/** Of a name, and of a value: 15 bits. */
const hashChars = 3;
const pairChars = 2 * hashChars;
/** Events with more members are changed as a whole. */
const mostMembers = 64;

/** A hash of the name and the value of each member of an event; undefined if it has too many. */
export function memberHashes(event: EventData): string | undefined {
  const members = [...membersOf(JSON.parse(event.data()))];
  if (members.length > mostMembers) return undefined;
  return members.map(([name, value]) => hashOf(name) + hashOf(value)).join("");
}

/**
 * Counts by member how many keys changed.
 *
 * @param before the hashes of keys that changed, when the service got them
 */
export function createChangedMembers(before: ReadonlyMap<string, string>) {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  return {
    see(key: string, event: EventData) {
      const hashes = before.get(key);
      if (hashes === undefined) return;
      const had = new Map<string, string>();
      for (let at = 0; at < hashes.length; at += pairChars) {
        const valueAt = at + hashChars;
        had.set(hashes.slice(at, valueAt), hashes.slice(valueAt, valueAt + hashChars));
      }
      const changed = new Set<string>();
      for (const [name, value] of membersOf(JSON.parse(event.data()))) {
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
function* membersOf(body: object, within = ""): Generator<[name: string, value: string]> {
  for (const [name, value] of Object.entries(body)) {
    const path = within + name;
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isObject) yield* membersOf(value, `${path}.`);
    else yield [path, JSON.stringify(value)];
  }
}

function hashOf(text: string): string {
  return (crc32(text) % 36 ** hashChars).toString(36).padStart(hashChars, "0");
}
