import { describe, expect, test } from "vitest";
import { accepted } from "../../delivery/service-under-test.ts";
import { failedRows, openAccount, results } from "./account-under-test.ts";

const mapping = `version: 1
resource: users
events:
  - event: user.created
    members: { email: Email, row: { meta: row } }
  - event: user.aged
    when: { column: Age, not_in: ["0"] }
    members: { email: Email, age: { column: Age, type: integer, required: true } }
`;

/** One row of two events, of which these are refused. */
async function oneRow(...refused: string[]) {
  const account = await openAccount(
    [
      ["Email", "Age"],
      ["ann@example", "41"],
    ],
    mapping,
  );
  const sent = () => account.received().map(({ event }) => event);
  account.answer(({ event = "" }) => (refused.includes(event) ? { status: 422 } : accepted));
  await account.import();
  // What comes after one that is refused is blocked.
  const isFirstRefused = refused.includes("user.created");
  expect(sent()).toEqual(["user.created", ...(isFirstRefused ? [] : ["user.aged"])]);
  account.answer(() => accepted);
  /** Sets the age in the lines of some events, or of all. */
  const age = (to: string, name = failedRows) =>
    account.edit(name, (text) => text.replaceAll(/(?<=ann@example,)\d*/g, to));
  return { ...account, sent, age };
}

describe("a row of which an event succeeded", () => {
  test("sends the other one, with the fix that its line has", async () => {
    const { retry, sent, age, lines, account } = await oneRow("user.aged");
    await age("42");
    expect(await retry()).toMatchObject({ rows: 1, counts: { succeeded: 2 } });
    expect(sent()).toEqual(["user.aged"]);
    expect(await account()).toEqual(["1/1 succeeded", "1/2 succeeded"]);
    // Each line has the cells that were sent.
    expect((await lines()).map(({ Age }) => Age)).toEqual(["41", "42"]);
  });

  test("is invalid if it gives another number of events now, and can be put back", async () => {
    const { retry, sent, age, lines, account } = await oneRow("user.aged");
    await age("0");
    expect(await retry()).toMatchObject({ counts: { succeeded: 1, invalid: 1 } });
    expect(sent()).toEqual([]);
    expect(await account()).toEqual(["1/1 succeeded", "1/2 invalid other_events"]);
    expect((await lines())[1]?.import_error).toBe(
      "the row gave 2 events and gives 1 now, and a part of it is done, may have arrived, or is not selected: put its cells back, set the line to skipped, or import the row in a file of its own",
    );
    await age("41");
    await retry();
    expect(sent()).toEqual(["user.aged"]);
  });
});

describe("a row of which no event succeeded", () => {
  test("may give fewer events than before, and more", async () => {
    const { answer, retry, sent, age, account } = await oneRow("user.aged", "user.created");
    answer(() => ({ status: 422 }));
    await age("0");
    expect(await retry()).toMatchObject({ events: 1, counts: { rejected: 1 } });
    expect(sent()).toEqual(["user.created"]);
    expect(await account()).toEqual(["1/1 rejected http_422"]);
    answer(() => accepted);
    await age("41");
    expect(await retry()).toMatchObject({ events: 2, counts: { succeeded: 2 } });
    expect(sent().toSorted()).toEqual(["user.aged", "user.created"]);
    expect(await account()).toEqual(["1/1 succeeded", "1/2 succeeded"]);
  });

  test("keeps an event that may have arrived, and may give others beside it", async () => {
    const place = await openAccount(
      [
        ["Email", "Age"],
        ["bo@example", "0"],
        ["ann@example", "41"],
        ["cy@example", "0"],
      ],
      mapping,
    );
    const { people, answer, import: send, retry, received, account, edit } = place;
    answer(({ email, event }) =>
      email === "bo@example"
        ? accepted
        : event === "user.aged" || email === "cy@example"
          ? "cut"
          : { status: 422 },
    );
    await people.write("people.yaml", `${mapping}on_key_failure: continue\n`);
    await send({ delivery: "at-most-once" });
    answer(() => accepted);
    expect(await account()).toEqual([
      ...["1/1 succeeded", "2/1 rejected http_422"],
      ...[expect.stringMatching(/^2\/2 unknown/), expect.stringMatching(/^3\/1 unknown/)],
    ]);
    received();
    await edit(failedRows, (text) =>
      text.replaceAll("ann@example,41", "ann@example,0").replace("cy@example,0", "cy@example,41"),
    );
    await retry(failedRows, { delivery: "at-least-once" });
    expect(received()).toMatchObject([
      { email: "cy@example", event: "user.created" },
      { email: "cy@example", event: "user.aged" },
    ]);
    expect(await account()).toEqual([
      ...["1/1 succeeded", "2/1 invalid other_events", "2/2 invalid other_events"],
      ...["3/1 succeeded", "3/2 succeeded"],
    ]);
    expect((await people.lines(results))[2]).toMatchObject({ import_unanswered: "1" });
  });

  test("keeps what an event says that may have arrived, until its cells are put back", async () => {
    const {
      answer,
      import: send,
      retry,
      received,
      account,
      lines,
      edit,
    } = await openAccount(
      [
        ["Email", "Age"],
        ["ann@example", "41"],
      ],
      mapping,
    );
    answer(({ event }) => (event === "user.aged" ? "cut" : accepted));
    await send({ delivery: "at-most-once" });
    answer(() => accepted);
    received();
    const age = (to: string) => edit(failedRows, (text) => text.replace(/(?<=example,)\d+/, to));
    for (const to of ["42", "43"]) {
      await age(to);
      await retry(failedRows, { delivery: "at-least-once" });
      expect(received()).toEqual([]);
      expect(await account()).toEqual(["1/1 succeeded", "1/2 invalid other_events"]);
      expect((await lines())[1]?.import_error).toContain(
        "the row gives another event now, and a part of it is done, may have arrived",
      );
    }
    await age("41");
    await retry(failedRows, { delivery: "at-least-once" });
    expect(received()).toMatchObject([{ event: "user.aged", age: 41 }]);
  });

  test("is invalid as a whole if a changed mapping cannot read another of its events", async () => {
    const { people, retry, sent } = await oneRow("user.aged");
    await people.write(
      "people.yaml",
      mapping.replace("{ email: Email, row", "{ n: { column: Email, type: number }, row"),
    );
    expect(await retry()).toMatchObject({ counts: { succeeded: 1, invalid: 1 } });
    expect(sent()).toEqual([]);
  });
});
