import fc from "fast-check";
import { expect, test } from "vitest";
import { openService, type Receipt } from "../delivery/service-under-test.ts";
import { parseCsvText } from "../temporary-folder.ts";
import { openWorkspace, withoutImportColumns } from "./import-under-test.ts";
import {
  accepted,
  asPlanned,
  endingOf,
  eventIn,
  eventsOf,
  type PlannedRow,
  peopleMapping,
  plannedRows,
  tableOf,
} from "./planned-people.ts";

const orders = fc.boolean();
const concurrencies = fc.integer({ min: 1, max: 8 });

type Line = Record<string, string>;
const isDone = ({ import_status: status }: Line) => status === "succeeded" || status === "skipped";

/** Whether a later event of its row, or a later row of its key, has arrived, or may have. */
function isSuperseded(line: Line, lines: readonly Line[], isOrdered: boolean): boolean {
  return lines.slice(lines.indexOf(line) + 1).some((later) => {
    const { import_status: status, import_row: row, key } = later;
    if (row === line.import_row) return status === "succeeded";
    const isOfKey = isOrdered && key !== "" && key === line.key;
    const mayHaveArrived = status === "succeeded" || Number(later.import_unanswered) > 0;
    return isOfKey && mayHaveArrived;
  });
}

/** What was sent, but for when that was. */
const sentIn = ({ body }: Receipt) => body.replace(/"at":"[^"]+"/, "");

/** Runs an import against a service that answers as planned, and hands over all that is left. */
async function importOf(rows: readonly PlannedRow[], isOrdered: boolean, concurrency: number) {
  const plan = asPlanned(rows);
  const service = await openService(plan.reply);
  const workspace = await openWorkspace(tableOf(rows), peopleMapping(isOrdered));
  const summary = await workspace.import(service.url, { concurrency });
  await service.close();
  const results = await workspace.records("people.results.csv");
  const lines = await workspace.lines("people.results.csv");
  return { service, workspace, summary, results, lines, given: plan.given };
}

test("whatever the cells are and the service answers every row and event has one outcome, in input order, with the cells of the input, and the counts add up", async () => {
  await fc.assert(
    fc.asyncProperty(plannedRows, orders, concurrencies, async (rows, isOrdered, concurrency) => {
      const run = await importOf(rows, isOrdered, concurrency);
      const { summary, lines, service, given, workspace, results } = run;

      const expected = rows.flatMap((row, at) => {
        const events = eventsOf(row);
        if (events.length === 0) return [[String(at + 1), ""]];
        return events.map((event) => [String(at + 1), String(event)]);
      });
      expect(lines.map((line) => [line.import_row, line.import_event])).toEqual(expected);

      for (const line of lines) {
        if (line.import_event === "") {
          const { note } = rows[Number(line.import_row) - 1]!;
          expect(line.import_status).toBe(note === "test" ? "skipped" : "invalid");
          expect(line.import_attempts).toBe("0");
          continue;
        }
        const answers = given.get(line.import_event_id!) ?? [];
        expect(line.import_attempts).toBe(String(answers.length));
        expect(line.import_unanswered).toBe(
          String(answers.filter((reply) => reply === "cut").length),
        );
        if (answers.length === 0) expect(line.import_status).toBe("blocked");
        else expect(line.import_status).toBe(endingOf(answers));
      }

      const ids = lines.map((line) => line.import_event_id).filter((id) => id !== "");
      expect(new Set(ids).size).toBe(ids.length);

      expect(summary.exitReason).toBe("complete");
      expect(summary.rows).toBe(rows.length);
      for (const [status, count] of Object.entries(summary.counts)) {
        expect([status, count]).toEqual([
          status,
          lines.filter((line) => line.import_status === status).length,
        ]);
      }
      expect(summary.attempts).toBe(service.receipts.length);
      expect(summary.events).toBe(ids.length);
      expect(service.mostAtOnce).toBeLessThanOrEqual(concurrency);

      const manifest = JSON.parse(await workspace.text("people.run.json"));
      expect(manifest).toMatchObject({
        counts: summary.counts,
        rows: rows.length,
        attempts: summary.attempts,
        unanswered: summary.unanswered,
        exit_reason: "complete",
        reconciliation: { rows_not_settled: 0, lines: lines.length, adds_up: true },
      });

      // Without their own columns the results are the input, cell for cell.
      const input = parseCsvText(await workspace.text("people.csv"));
      const [header, ...kept] = withoutImportColumns(results);
      expect(header).toEqual(input[0]);
      kept.forEach((cells, at) => {
        expect(cells).toEqual(input[Number(lines[at]?.import_row)]);
      });

      // The failed rows are the lines that did not succeed, and no file is a good sign.
      const notDone = lines.filter((line) => !isDone(line));
      expect(workspace.has("people.failed.csv")).toBe(notDone.length > 0);
      expect(summary.failedRows === undefined).toBe(notDone.length === 0);
      const failed = notDone.length > 0 ? await workspace.lines("people.failed.csv") : [];
      expect(failed).toEqual(notDone);

      // Events of a row, and of a key, are received in file order.
      const last = new Map<string, number>();
      for (const { key, row, event } of service.receipts.map(eventIn)) {
        const of = isOrdered && key !== "" ? key : `row ${row}`;
        expect(row * 10 + event).toBeGreaterThanOrEqual(last.get(of) ?? 0);
        last.set(of, row * 10 + event);
      }
      await workspace.remove();
    }),
    { numRuns: 40 },
  );
});

test.each(["people.failed.csv", "people.results.csv"])(
  "a retry of %s sends what did not succeed and may still arrive, that alone, under the same ids and with the same bytes",
  async (name) => {
    await fc.assert(
      fc.asyncProperty(plannedRows, orders, async (rows, isOrdered) => {
        const { lines, given, workspace, results, service } = await importOf(rows, isOrdered, 8);
        const sentBefore = new Map(service.receipts.map((one) => [eventIn(one).id, sentIn(one)]));
        const again = await openService(() => accepted);
        const isSent = (line: Line) =>
          !isDone(line) && line.import_event !== "" && !isSuperseded(line, lines, isOrdered);
        const wanted = lines.filter(isSent);
        if (workspace.has(name)) {
          const summary = await workspace.retry(again.url, name);
          const sent = again.receipts.map(eventIn);
          expect(sent.map(({ id }) => id).sort()).toEqual(
            wanted.map((line) => line.import_event_id).sort(),
          );
          for (const { row, event, id } of sent) {
            const [line] = lines.filter((other) => other.import_event_id === id);
            expect(line).toMatchObject({ import_row: `${row}`, import_event: `${event}` });
          }

          for (const one of again.receipts) {
            expect(sentIn(one)).toBe(sentBefore.get(eventIn(one).id) ?? sentIn(one));
          }

          const after = await workspace.lines("people.results.csv");
          expect(after).toHaveLength(lines.length);
          after.forEach((line, at) => {
            const before = lines[at] ?? {};
            if (isDone(before)) expect(line).toEqual(before);
            expect(line).toMatchObject({
              import_row: before.import_row,
              import_line: before.import_line,
              import_input: before.import_input,
              import_status: isSent(before) ? "succeeded" : before.import_status,
            });
            // What may have arrived in the first part may have arrived twice by now.
            const cuts = (given.get(line.import_event_id ?? "") ?? []).filter(
              (reply) => reply === "cut",
            );
            expect(line.import_unanswered).toBe(String(cuts.length));
          });
          expect(withoutImportColumns(await workspace.records("people.results.csv"))).toEqual(
            withoutImportColumns(results),
          );
          expect(summary.counts.invalid).toBe(
            lines.filter((line) => line.import_status === "invalid").length,
          );
        }
        await again.close();
        await workspace.remove();
      }),
      { numRuns: 25 },
    );
  },
);
