import { mkdir, rm } from "node:fs/promises";
import { expect, test } from "vitest";
import { accepted } from "../../delivery/service-under-test.ts";
import { failedRows, openAccount, results } from "./account-under-test.ts";

const mapping = `version: 1
resource: users
events:
  - { event: one, members: { name: { column: name, required: true }, row: { meta: row }, id: { meta: event_id } } }
  - { event: two, members: { name: name, row: { meta: row }, id: { meta: event_id } } }
`;

async function given() {
  const account = await openAccount(
    [["name", "is"], ...["Ann", "Bo", "", "Di"].map((name) => [name, "a"])],
    mapping,
  );
  account.answer(({ name, event }) =>
    name === "Di" || (name === "Bo" && event === "two") ? { status: 422 } : accepted,
  );
  await account.import();
  account.received();
  account.answer(() => accepted);
  return account;
}

test("failed rows whose account is gone are imported: rows and ids are kept, what succeeded is left out", async () => {
  const { people, import: send, received, lines } = await given();
  const before = await lines();
  await mkdir(people.path("moved"));
  const path = people.path("moved/people.csv");
  // All of the results, with what has succeeded.
  await people.write(
    "moved/people.csv",
    (await people.text(results)).replace(/^,a,3,/m, "Cy,a,3,"),
  );
  expect(await send({ input: path })).toMatchObject({
    ...{ exitReason: "complete", counts: { succeeded: 6, rejected: 0, invalid: 0 } },
  });
  const sent = received().map(({ name, event, row }) => `${row} ${name} ${event}`);
  expect(sent.toSorted()).toEqual(["2 Bo two", "3 Cy one", "3 Cy two", "4 Di one", "4 Di two"]);
  const after = await lines("moved/people.results.csv");
  const key = (line: Record<string, string>) =>
    `${line.import_row}/${line.import_event} ${line.import_event_id}`;
  for (const line of before) {
    if (line.import_row === "1" || line.import_row === "3") continue;
    if (line.import_row === "2" && line.import_event === "1") continue;
    expect(after.map(key)).toContain(key(line));
  }
});

test("beside their account they are refused, and so is a copy of its results", async () => {
  const { people, import: send, refused } = await given();
  for (const name of [failedRows, results]) {
    expect(
      await refused(() =>
        send({ input: people.path(name), results: people.path("new.results.csv") }),
      ),
    ).toMatchObject({
      code: "results_file_as_input",
      message: expect.stringContaining(`eventload retry ${people.path(name)}`),
    });
  }
});

test("what is imported from failed rows is an account of its own, which can be retried", async () => {
  const { people, answer, import: send, retry, received, account } = await given();
  const text = await people.text(failedRows);
  for (const name of [results, failedRows, "people.run.json"]) await rm(people.path(name));
  await people.write("left.csv", text);
  answer(({ name }) => (name === "Di" ? { status: 422 } : accepted));
  expect(
    await send({ input: people.path("left.csv"), results: people.path("left.results.csv") }),
  ).toMatchObject({ rows: 3, counts: { succeeded: 1, rejected: 1, blocked: 1, invalid: 1 } });
  expect(
    received()
      .map(({ row, event }) => `${row} ${event}`)
      .toSorted(),
  ).toEqual([...["2 two", "4 one"]]);
  answer(({ name, event }) => (name === "Di" && event === "two" ? { status: 422 } : accepted));
  await people.write(
    "left.failed.csv",
    (await people.text("left.failed.csv")).replace(/^,a,3,/m, "Cy,a,3,"),
  );
  expect(await retry("left.failed.csv")).toMatchObject({ counts: { succeeded: 4, rejected: 1 } });
  expect(received()).toHaveLength(4);
  answer(() => accepted);
  expect(await retry("left.failed.csv")).toMatchObject({ counts: { succeeded: 5 } });
  expect(received()).toMatchObject([{ row: 4, event: "two" }]);
  expect(await account("left.results.csv")).toEqual([
    ...["2/2 succeeded", "3/1 succeeded", "3/2 succeeded", "4/1 succeeded", "4/2 succeeded"],
  ]);
});
