import type { Json, LoadEvent, Resource } from "../../model/event.ts";
import { countMembers } from "../../model/event.ts";

/** Events of one kind that a mapping makes. */
export interface EventKind {
  readonly resource: Resource;
  /** The `event` member; absent for all those kinds together that are too many to be counted apart. */
  readonly event?: string;
  /** The index of the event in the mapping, 0 for that of a gone key; absent where the mapping is a function. */
  readonly index?: number;
  readonly count: number;
  /** In how many of these events each member is: in the order of the mapping, also where it is none. */
  readonly members: readonly MemberCount[];
}

export interface MemberCount {
  readonly name: string;
  readonly count: number;
}

export interface EventCounts {
  see(events: readonly LoadEvent[]): void;
  /** The most frequent first. */
  counted(): readonly EventKind[];
}

/** A column can hold a kind of its own in every row, and a function can name members as it likes. */
const maxKinds = 100;
const maxMembers = 1000;

interface Tally {
  readonly kind: Pick<EventKind, "resource" | "event" | "index">;
  count: number;
  readonly members: number[];
}

/** @param memberNames of the mapping's events, by their index; undefined if it is a function */
export function createEventCounts(
  memberNames: readonly (readonly string[])[] | undefined,
): EventCounts {
  const tallies: Tally[] = [];
  const byPlace: Map<string | undefined, Tally>[] = [];
  const found = new Map<string, number>();

  const tallyOf = ({ name, resource, index }: LoadEvent): Tally => {
    const place = 2 * (memberNames === undefined ? 0 : index) + (resource === "users" ? 0 : 1);
    byPlace[place] ??= new Map();
    const kinds = byPlace[place];
    const known = kinds.get(name);
    if (known !== undefined) return known;
    const isOneMore = tallies.length < maxKinds;
    const others = isOneMore ? undefined : kinds.get(undefined);
    if (others !== undefined) return others;
    const ofBlock = memberNames === undefined ? {} : { index };
    const kind = { resource, ...(isOneMore ? { event: name } : {}), ...ofBlock };
    const fresh: Tally = { kind, count: 0, members: [] };
    tallies.push(fresh);
    kinds.set(isOneMore ? name : undefined, fresh);
    return fresh;
  };

  /** What a function calls its members is seen only in what it makes. */
  const countFound = (event: LoadEvent, counts: number[]) => {
    for (const [name] of valuesOfMembers(JSON.parse(event.body(anyTime)))) {
      let at = found.get(name);
      if (at === undefined) {
        if (found.size >= maxMembers) continue;
        at = found.size;
        found.set(name, at);
      }
      counts[at] = (counts[at] ?? 0) + 1;
    }
  };

  return {
    see(events) {
      for (const event of events) {
        const tally = tallyOf(event);
        tally.count++;
        if (event.members !== undefined) countMembers(event.members, tally.members);
        else countFound(event, tally.members);
      }
    },
    counted: () =>
      tallies
        .map(({ kind, count, members }): EventKind => {
          const names = memberNames?.[kind.index ?? 0] ?? [...found.keys()];
          const counted = names.map((name, at) => ({ name, count: members[at] ?? 0 }));
          return {
            ...kind,
            count,
            members: memberNames === undefined ? counted.filter((one) => one.count > 0) : counted,
          };
        })
        .toSorted((a, b) => b.count - a.count),
  };
}

const anyTime = "1970-01-01T00:00:00.000Z";

/** Objects within objects that are looked into. */
const deepest = 10;

/** What a body holds besides `event`: `profile.name` for what stands in an object; a list is one. */
export function* valuesOfMembers(
  body: object,
  before = "",
  depth = 1,
): Generator<[name: string, value: Json]> {
  for (const [name, value] of Object.entries(body)) {
    if (depth === 1 && name === "event") continue;
    const path = before + name.replaceAll(/[.[\]\\]/g, "\\$&");
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isObject && depth < deepest) yield* valuesOfMembers(value, `${path}.`, depth + 1);
    else yield [path, value];
  }
}
