import fc from "fast-check";
import { expect, test } from "vitest";
import { openResultsFile } from "../../src/input/open-results-file.ts";
import { openSource } from "../../src/input/open-source.ts";
import type { LoadEvent } from "../../src/model/event.ts";
import { isDone, type Outcome } from "../../src/model/outcome.ts";
import { resultsColumns } from "../../src/model/results-columns.ts";
import { resultLine } from "../../src/results/result-line.ts";
import { planRow } from "../../src/run/plan-row.ts";
import { refuseDoubledLines } from "../../src/run/refuse-doubled-lines.ts";
import { readAll, streamOf } from "../input/given-bytes.ts";
import { mapper } from "../mapping/given-mapping.ts";
import { quoteAll } from "../nasty-cells.ts";

const columns = ["A", "B", "C"];
const header = [...columns, ...resultsColumns];

/** Each of its events can become invalid or left out by an edit of one cell. */
const mapRow = mapper(
  `version: 1
resource: users
when: { column: A, not_in: ["0"] }
events:
  - event: user.created
    members: { a: { column: A, type: integer } }
  - event: user.tagged
    when: { column: B, not_in: [skip] }
    members: { b: { column: B, type: integer, required: true } }
  - event: user.noted
    members: { c: { column: C, required: true } }
`,
  columns,
);

const cells = fc.constantFrom("1", "2", "0", "", "x", "skip");

type Edit =
  | { readonly kind: "cell"; readonly at: number; readonly column: string; readonly text: string }
  | { readonly kind: "status"; readonly at: number; readonly text: string }
  | { readonly kind: "event lost"; readonly at: number };

const edits: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({
    kind: fc.constant("cell" as const),
    at: fc.nat(20),
    column: fc.constantFrom(...columns),
    text: cells,
  }),
  fc.record({
    kind: fc.constant("status" as const),
    at: fc.nat(20),
    text: fc.constantFrom("", "", "done", "failed", "invalid", "skipped"),
  }),
  fc.record({ kind: fc.constant("event lost" as const), at: fc.nat(20) }),
);

const rounds = fc.array(
  fc.record({
    edits: fc.array(edits, { maxLength: 5 }),
    isOfFailedRows: fc.boolean(),
    endings: fc.array(
      fc.constantFrom("succeeded", "rejected", "failed", "unknown", "blocked" as const),
      { minLength: 1, maxLength: 7 },
    ),
  }),
  { minLength: 2, maxLength: 6 },
);

/** Everything that a person may do to a results file, and what was sent by all retries of it. */
test("an event that succeeded is not sent again unless a person undid its own status", async () => {
  const tables = fc.array(fc.array(cells, { minLength: 2, maxLength: 4 }), {
    minLength: 1,
    maxLength: 3,
  });
  await fc.assert(
    fc.asyncProperty(tables, rounds, async (table, plan) => {
      const succeeded = new Set<string>();
      let lines: string[][] = [];
      const losesEvents = plan.some(({ edits }) => edits.some(({ kind }) => kind === "event lost"));
      const openResults: typeof openResultsFile = async (...given) => {
        const source = await openResultsFile(...given);
        // A line that has lost its event may be for any of its row, and they stand there too.
        if (losesEvents) return source;
        return { ...source, batches: refuseDoubledLines(source.batches) };
      };
      for (const [at, { edits, isOfFailedRows, endings }] of plan.entries()) {
        const isImport = at === 0;
        if (!isImport) for (const edit of edits) apply(edit, lines, succeeded);
        const { rows, damage } = isImport
          ? await readAll(streamOf(quoteAll([columns, ...table])), openSource)
          : await readAll(streamOf(quoteAll([header, ...lines])), openResults);
        expect(damage).toBeUndefined();
        let sent = 0;
        const after: [Outcome, string[]][] = [];
        for (const row of rows) {
          const planned = planRow(row, mapRow, true);
          const send = ({ index, id }: LoadEvent): Outcome => {
            const status = endings[sent++ % endings.length]!;
            const event = `${row.row}/${index}`;
            if (status !== "blocked" && succeeded.has(event)) {
              throw new Error(`round ${at} sends event ${event} again`);
            }
            if (status === "succeeded") succeeded.add(event);
            return { status, event: index, eventId: id, attempts: 1, unanswered: 0 };
          };
          const outcomes = planned.kind === "send" ? planned.events.map(send) : [planned.outcome];
          for (const outcome of outcomes) {
            after.push([outcome, resultLine(row, outcome, "0123456789abcdef", false)]);
          }
        }
        const kept = isOfFailedRows ? after.filter(([{ status }]) => !isDone(status)) : after;
        lines = kept.map(([, line]) => line);
      }
    }),
    { numRuns: 1500 },
  );
});

function apply(edit: Edit, lines: readonly string[][], succeeded: Set<string>): void {
  const line = lines[edit.at % Math.max(1, lines.length)];
  if (line === undefined) return;
  const place = (column: string) => header.indexOf(column);
  switch (edit.kind) {
    case "cell":
      line[place(edit.column)] = edit.text;
      break;
    case "event lost":
      line[place("import_event")] = "";
      break;
    case "status": {
      // Who changes what stands there asks for this event, and for no other of its row.
      const event = `${line[place("import_row")]}/${line[place("import_event")]}`;
      succeeded.delete(event);
      line[place("import_status")] = edit.text;
      break;
    }
    default:
      edit satisfies never;
  }
  expect(line).toHaveLength(header.length);
}
