import type { LoadEvent, Method, Resource } from "../../model/event.ts";

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

/** A column can hold a kind of its own in every row. */
const maxEventKinds = 100;

interface EventTally {
  readonly kind: Pick<EventKind, "resource" | "method" | "event" | "index">;
  count: number;
  readonly members: number[];
}

/** @param memberNames of the mapping's events, by their index; undefined if it is a function */
export function createEventCounts(memberNames: readonly (readonly string[])[] | undefined) {
  const tallies = new Map<string, EventTally>();
  const tallyOf = ({ name, resource, method, index }: LoadEvent): EventTally => {
    const ofBlock = memberNames === undefined ? {} : { index };
    const place = `${ofBlock.index} ${method} ${resource}`;
    const isOneMore = tallies.size < maxEventKinds;
    const known = tallies.get(`${place} ${name}`) ?? (isOneMore ? undefined : tallies.get(place));
    const named = isOneMore ? { event: name } : {};
    const kind = { resource, method, ...named, ...ofBlock };
    const tally = known ?? { kind, count: 0, members: [] };
    if (known === undefined) tallies.set(isOneMore ? `${place} ${name}` : place, tally);
    return tally;
  };

  // Most events are of the kind of the one before: that is known without its place in the map, which is a text.
  let last: LoadEvent | undefined;
  let tally: EventTally | undefined;

  return {
    see(events: readonly LoadEvent[]) {
      for (const event of events) {
        if (tally === undefined || !isOfSameKind(event, last)) tally = tallyOf(event);
        last = event;
        tally.count++;
        event.countMembers?.(tally.members);
      }
    },
    counted: () =>
      [...tallies.values()]
        .map(({ kind, count, members }): EventKind => {
          const names = memberNames?.[kind.index ?? 0] ?? [];
          const counted = names.map((name, at) => ({ name, count: members[at] ?? 0 }));
          return { ...kind, count, members: counted };
        })
        .toSorted((a, b) => b.count - a.count),
  };
}

function isOfSameKind(one: LoadEvent, other: LoadEvent | undefined): boolean {
  return (
    one.name === other?.name &&
    one.index === other.index &&
    one.resource === other.resource &&
    one.method === other.method
  );
}
