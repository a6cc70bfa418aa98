import fc from "fast-check";
import type { Receipt, Reply } from "../delivery/service-under-test.ts";
import { nastyCells, type Table } from "../nasty-cells.ts";
import { openWorkspace } from "./import-under-test.ts";

/** A row of people, and how the service will take its events, an answer for each attempt. */
export interface PlannedRow {
  readonly key: string;
  readonly name: string;
  readonly note: string;
  readonly odd: string;
  readonly replies: readonly [readonly Reply[], readonly Reply[]];
}

export const accepted: Reply = { status: 202 };

const replies = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant<Reply>(accepted) },
    fc.constantFrom<Reply>(
      { status: 422, body: '{"message":"no such plan"}' },
      { status: 500, body: "oops" },
      { status: 503 },
      { status: 429, headers: { "retry-after": "3" } },
      "cut",
    ),
  ),
  { maxLength: 4 },
);

export const plannedRows = fc.array(
  fc
    .record<PlannedRow>({
      key: fc.constantFrom("a", "b", "c", ""),
      // A blank name is invalid, and a note of its own kind leaves the second event out.
      name: fc.oneof(
        { weight: 8, arbitrary: nastyCells.map((cell) => `x${cell}`) },
        fc.constant(""),
      ),
      note: fc.constantFrom("", "quiet", "test", "loud"),
      odd: nastyCells,
      replies: fc.tuple(replies, replies),
    })
    .map((row) => ({
      ...row,
      odd: `${row.key}${row.name}${row.note}${row.odd}`.trim() === "" ? "-" : row.odd,
    })),
  { minLength: 1, maxLength: 25 },
);

const oddColumn = ' odd,"column"\n';

export function tableOf(rows: readonly PlannedRow[]): Table {
  const header = ["key", "name", "note", oddColumn];
  return [header, ...rows.map(({ key, name, note, odd }) => [key, name, note, odd])];
}

export function peopleMapping(isOrdered: boolean): string {
  const members = [
    "    members:",
    "      row: { meta: row }",
    "      line: { meta: line }",
    "      file: { meta: input_name }",
    "      at: { meta: imported_at }",
    "      id: { meta: event_id }",
    "      key: key",
    "      name: { column: name, required: true }",
    `      odd: { column: ${JSON.stringify(oddColumn)} }`,
  ];
  const lines = [
    "version: 1",
    ...(isOrdered ? ["ordering_key: [key]"] : []),
    "when: { column: note, not_in: [test] }",
    "events:",
    "  - resource: users",
    "    event: user.updated",
    ...members,
    "  - resource: contacts",
    "    event: contact.updated",
    "    when: { column: note, not_in: [quiet] }",
    ...members,
  ];
  return `${lines.join("\n")}\n`;
}

/** Which of the mapping's events a row gives. */
export function eventsOf({ name, note }: PlannedRow): number[] {
  if (note === "test" || name === "") return [];
  return note === "quiet" ? [1] : [1, 2];
}

export interface ReceivedEvent {
  readonly row: number;
  readonly event: number;
  readonly id: string;
  readonly key: string;
}

export function eventIn({ body, path }: Receipt): ReceivedEvent {
  const { row, id, key = "" } = JSON.parse(body) as { row: number; id: string; key?: string };
  return { row, id, key, event: path.includes("/users/") ? 1 : 2 };
}

/** Answers as planned; the very first request is accepted, as any other answer may stop the run. */
export function asPlanned(rows: readonly PlannedRow[], otherwise: Reply = accepted) {
  const given = new Map<string, Reply[]>();
  const reply = (receipt: Receipt): Reply => {
    const { row, event, id } = eventIn(receipt);
    const before = given.get(id) ?? [];
    const planned = rows[row - 1]?.replies[event - 1]?.[before.length];
    const chosen = receipt.n === 0 ? accepted : (planned ?? otherwise);
    given.set(id, [...before, chosen]);
    return chosen;
  };
  return { reply, given };
}

/** What has to become of an event that got these answers. */
export function endingOf(given: readonly Reply[]): string {
  const last = given.at(-1);
  if (typeof last === "object" && last.status < 300) return "succeeded";
  if (typeof last === "object" && last.status < 429) return "rejected";
  return given.includes("cut") ? "unknown" : "failed";
}

const namesAlone = `version: 1
resource: users
event: user.updated
members: { row: { meta: row }, id: { meta: event_id }, name: { column: name, required: true } }
`;

/** People with nothing but a name; those with a blank one are invalid. */
/** Names, of which a blank one is invalid; beside it stands something, as it is no row else. */
export const workspaceOf = (names: readonly string[]) =>
  openWorkspace([["name", "is"], ...names.map((name) => [name, "a"])], namesAlone);
