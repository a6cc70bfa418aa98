import { expect, test } from "vitest";
import { readLog } from "../../../src/journal/log.ts";
import { type JournalRecord, journalNumbers } from "../../../src/journal/read-journal.ts";
import { nodeDisk } from "../../../src/model/disk/node-disk.ts";
import { type PartOptions, runNextPart } from "../../../src/run/account/next-part.ts";
import { readReport } from "../../../src/run/account/write-report.ts";
import { thisMachine } from "../../../src/run/send/run-context.ts";
import { accepted } from "../../delivery/service-under-test.ts";
import { journalOf } from "../../journal/given-import.ts";
import { all, failedRows, oneEvent, openAccount, results, table } from "./account-under-test.ts";

test.each(["import", "retry"] as const)(
  "a line that reads otherwise than it was written stops the end of the part, and its journal stays: %s",
  async (kind) => {
    const { people, url, answer, import: send } = await openAccount(table("Ann", "Bo"), oneEvent);
    answer(all("Bo"));
    if (kind === "retry") await send();
    const before = people.has(results) ? await people.text(results) : undefined;
    /** Reads a line of the journal with one more attempt. */
    async function* readChunks(path: string) {
      if (!path.includes(".journal.")) return yield* nodeDisk.readChunks(path);
      const records: JournalRecord[] = [];
      for await (const { lines } of readLog(nodeDisk.readChunks(path))) {
        records.push(...(lines as JournalRecord[]));
      }
      const changed = records.map((one) =>
        one.kind === "line" ? { ...one, text: one.text.replace(/,(\d),0,/, ",7,0,") } : one,
      );
      yield Buffer.from(journalOf(changed));
    }
    const options: Partial<PartOptions> =
      kind === "retry" ? { given: people.path(failedRows), input: people.path(failedRows) } : {};
    const summary = await runNextPart(
      {
        ...{ input: people.path("people.csv"), mapping: people.path("people.yaml") },
        ...{ baseUrl: url, token: "a-token", results: people.path(results), ...options },
      },
      kind,
      { ...thisMachine, disk: { ...nodeDisk, readChunks } },
    );
    expect(summary).toMatchObject({
      exitReason: "not_reconciled",
      message: expect.stringContaining("do not rely on this run"),
    });
    expect(people.has(results) ? await people.text(results) : undefined).toBe(before);
    expect(await journalNumbers(nodeDisk, people.path(`${results}.journal`))).toHaveLength(1);
  },
);

test("a retry reads the results twice: to select, and to render", async () => {
  const mapping = oneEvent.replace("resource: users", "resource: users\nordering_key: [name]");
  const {
    people,
    url,
    answer,
    import: send,
  } = await openAccount(table("Ann", "Bo", "Cy", "Bo"), mapping);
  answer(all("Ann", "Cy"));
  await send();
  answer(all());
  let reads = 0;
  async function* readChunks(path: string) {
    yield* nodeDisk.readChunks(path);
    if (path === people.path(results)) reads++;
  }
  const summary = await runNextPart(
    {
      ...{ input: people.path(failedRows), given: people.path(failedRows) },
      ...{ mapping: people.path("people.yaml"), baseUrl: url, token: "a-token" },
      results: people.path(results),
    } as PartOptions,
    "retry",
    { ...thisMachine, disk: { ...nodeDisk, readChunks } },
  );
  expect(summary).toMatchObject({ exitReason: "complete", counts: { succeeded: 4 } });
  expect(reads).toBe(2);
});

test("the report of a killed part has the lines behind a row that is held, as its headline counts them", async () => {
  const people = Array.from({ length: 40 }, (_, at) => `n${at + 1}`);
  const account = await openAccount(table(...people), oneEvent);
  let killed: typeof account.people | undefined;
  let refused = 0;
  account.answer(async ({ name }) => {
    if (name === "n1") return accepted;
    if (name === "n2") {
      while (killed === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
      return accepted;
    }
    if (++refused === 30) killed = account.people.afterKill();
    return { status: 422, body: "no" };
  });
  await account.import({ concurrency: 4, adaptive: false });
  if (killed === undefined) throw new Error("nothing was killed");
  const { figures } = await readReport({ results: killed.path(results) });
  const { open } = figures;
  expect(open).toBeGreaterThan(20);
  expect(figures).toMatchObject({ problems: [{ status: "rejected", count: open }] });
});
