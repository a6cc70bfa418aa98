import {
  countMembers,
  type LoadEvent,
  type Method,
  methods,
  type Resource,
  resources,
} from "../../model/event.ts";

/** Events of one kind that a mapping makes. */
export interface EventKind {
  readonly resource: Resource;
  readonly method: Method;
  /** The `event` member; absent for all those kinds together that are too many to be counted apart. */
  readonly event?: string;
  /** The index of the event in the mapping, 0 for that of a gone key; absent where the mapping is a function. */
  readonly index?: number;
  readonly count: number;
  /**
   * In how many of these events each member is: in the order of the mapping, also where it is none; empty where the
   * mapping is a function.
   */
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

/** A column can hold a kind of its own in every row. */
const maxKinds = 100;

interface Tally {
  readonly kind: Pick<EventKind, "resource" | "method" | "event" | "index">;
  count: number;
  readonly members: number[];
}

/** @param memberNames of the mapping's events, by their index; undefined if it is a function */
export function createEventCounts(
  memberNames: readonly (readonly string[])[] | undefined,
): EventCounts {
  const tallies: Tally[] = [];
  const byPlace: Map<string | undefined, Tally>[] = [];

  const tallyOf = ({ name, resource, method, index }: LoadEvent): Tally => {
    const block = memberNames === undefined ? 0 : index;
    const ofBlock = block * resources.length + resources.indexOf(resource);
    const place = ofBlock * methods.length + methods.indexOf(method);
    byPlace[place] ??= new Map();
    const kinds = byPlace[place];
    const known = kinds.get(name);
    if (known !== undefined) return known;
    const isOneMore = tallies.length < maxKinds;
    const others = isOneMore ? undefined : kinds.get(undefined);
    if (others !== undefined) return others;
    const kind = {
      resource,
      method,
      ...(isOneMore ? { event: name } : {}),
      ...(memberNames === undefined ? {} : { index }),
    };
    const fresh: Tally = { kind, count: 0, members: [] };
    tallies.push(fresh);
    kinds.set(isOneMore ? name : undefined, fresh);
    return fresh;
  };

  return {
    see(events) {
      for (const event of events) {
        const tally = tallyOf(event);
        tally.count++;
        if (event.members !== undefined) countMembers(event.members, tally.members);
      }
    },
    counted: () =>
      tallies
        .map(({ kind, count, members }): EventKind => {
          const names = memberNames?.[kind.index ?? 0] ?? [];
          const counted = names.map((name, at) => ({ name, count: members[at] ?? 0 }));
          return { ...kind, count, members: counted };
        })
        .toSorted((a, b) => b.count - a.count),
  };
}
