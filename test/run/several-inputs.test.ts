import fc from "fast-check";
import { expect, test } from "vitest";
import { startService } from "../delivery/service-under-test.ts";
import { openWorkspace, type Workspace } from "./import-under-test.ts";
import { accepted, eventIn, peopleMapping, plannedRows, tableOf } from "./planned-people.ts";

type Line = Record<string, string>;

/** What a line says, but for where its row was found. */
const wherever = ({ import_line, import_source, ...line }: Line) => {
  const { import_input, import_event_id, import_finished_at, ...rest } = line;
  return rest;
};
const placeOf = (line: Line) => [line.import_row, line.import_line, line.import_source];

async function workspaceOf(table: Parameters<typeof openWorkspace>[0]): Promise<Workspace> {
  return openWorkspace(table, peopleMapping(true));
}

test("several files give what their concatenation gives, and a retry of it the same", async () => {
  const received: string[] = [];
  const service = await startService((receipt) => {
    const { row, event } = eventIn(receipt);
    received.push(`${row} ${event}`);
    return accepted;
  });
  await fc.assert(
    fc.asyncProperty(
      plannedRows,
      fc.array(fc.nat(25), { minLength: 1, maxLength: 4 }),
      async (planned, cuts) => {
        const table = tableOf(planned);
        const rows = table.slice(1);
        const whole = await workspaceOf(table);
        const parts = await workspaceOf([]);
        const bounds = [0, ...cuts.map((cut) => cut % (rows.length + 1)).toSorted((a, b) => a - b)];
        const names: string[] = [];
        for (const [at, begin] of bounds.entries()) {
          const own = [table[0] ?? [], ...rows.slice(begin, bounds[at + 1] ?? rows.length)];
          names.push(`${at}.csv`);
          await parts.write(`${at}.csv`, own);
        }
        const input = names.map(parts.path);
        const results = parts.path("people.results.csv");
        await whole.import(service.url);
        const sentOfWhole = received.splice(0).toSorted();
        expect(await parts.import(service.url, { input, results })).toMatchObject({
          exitReason: "complete",
          rows: rows.length,
        });
        expect(received.splice(0).toSorted()).toEqual(sentOfWhole);

        const lines = await parts.lines("people.results.csv");
        expect(lines.map(wherever)).toEqual(
          (await whole.lines("people.results.csv")).map(wherever),
        );
        expect(lines.map((line) => line.import_source)).toEqual(
          lines.map(({ import_row: row }) => {
            const part = bounds.findLastIndex((begin) => begin < Number(row));
            return names[part];
          }),
        );
        expect(parts.has("people.failed.csv")).toBe(whole.has("people.failed.csv"));
        if (!parts.has("people.failed.csv")) return;
        await whole.retry(service.url, "people.failed.csv");
        await parts.retry(service.url, "people.failed.csv");
        const retried = await parts.lines("people.results.csv");
        expect(retried.map(wherever)).toEqual(
          (await whole.lines("people.results.csv")).map(wherever),
        );
        expect(retried.map(placeOf)).toEqual(lines.map(placeOf));
      },
    ),
    { numRuns: 10 },
  );
});

test("a list of one is that one, and of none is refused", async () => {
  const workspace = await workspaceOf([["key", "name", "note", ' odd,"column"\n']]);
  const path = workspace.path("people.csv");
  const url = "http://127.0.0.1:9";
  expect(await workspace.import(url, { input: [path] })).toMatchObject({ exitReason: "complete" });
  expect(JSON.parse(await workspace.text("people.run.json"))).toMatchObject({ input: { path } });
  expect(JSON.parse(await workspace.text("people.run.json"))).not.toHaveProperty("inputs");
  await expect(workspace.import(url, { input: [] })).rejects.toThrow("input: it names no file");
});
