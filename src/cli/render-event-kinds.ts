import type { EventKind } from "../model/count-events.ts";
import { grouped } from "../model/quantities.ts";
import { quote, quoteWhole } from "../model/row.ts";

const mostKindsShown = 20;

/** For people: the events by kind, and of each of the mapping's events how many have which member. */
export function renderEventKinds(kinds: readonly EventKind[]): string[] {
  const shown = kinds.slice(0, mostKindsShown).map(({ count, event, resource }) => {
    const name = event === undefined ? "of other kinds" : quote(event);
    return `${grouped(count)} × ${name} (${resource})`;
  });
  const more = kinds.length - shown.length;
  const indexes = [...new Set(kinds.map(({ index = 0 }) => index))].toSorted((a, b) => a - b);
  return [
    ...(shown.length === 0 ? [] : [`Events: ${shown.join(", ")}`]),
    ...(more > 0 ? [`        and ${grouped(more)} more kinds`] : []),
    ...indexes.flatMap((index) => {
      const ofEvent = indexes.length > 1 ? ` of event ${index}` : "";
      return renderMembers(
        ofEvent,
        kinds.filter((kind) => (kind.index ?? 0) === index),
      );
    }),
  ];
}

function renderMembers(ofEvent: string, kinds: readonly EventKind[]): string[] {
  const events = kinds.reduce((sum, { count }) => sum + count, 0);
  const counts = new Map<string, number>();
  for (const { members } of kinds) {
    for (const { name, count } of members) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  const members = [...counts].map(([name, count]) => ({ name: asLine(name), count }));
  const line = (where: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`Members${ofEvent} in ${where}: ${names.join(", ")}`];
  return [
    ...line(
      "all",
      members.filter(({ count }) => count === events).map(({ name }) => name),
    ),
    ...line(
      "some",
      members
        .filter(({ count }) => count > 0 && count < events)
        .toSorted((a, b) => b.count - a.count)
        .map(({ name, count }) => `${name} (${grouped(count)})`),
    ),
    ...line(
      "none",
      members.filter(({ count }) => count === 0).map(({ name }) => name),
    ),
  ];
}

/** A name that a function has made may hold what a terminal would not show as it is. */
function asLine(name: string): string {
  return quoteWhole(name)
    .slice(1, -1)
    .replaceAll(/\\(["\\])/g, "$1");
}
