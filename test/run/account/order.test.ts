import { describe, expect, test } from "vitest";
import { nextCommandsOf, nextStep } from "../../../src/model/next-step.ts";
import { findAccounts } from "../../../src/run/account/find-accounts.ts";
import { accepted } from "../../delivery/service-under-test.ts";
import { all, failedRows, names, openAccount, results } from "./account-under-test.ts";

const mapping = (policy?: "block" | "continue") => `version: 1
resource: users
event: user.updated
ordering_key: [key]
${policy === undefined ? "" : `on_key_failure: ${policy}\n`}members: { key: key, name: name, row: { meta: row } }
`;

/** A key and a name for each row. */
const rows = (...people: readonly string[]) => [
  ["key", "name"],
  ...people.map((person) => person.split(" ")),
];

/** An import of which these are refused, once; the service takes everything from then on. */
async function refusing(
  policy: "block" | undefined,
  people: readonly string[],
  ...refused: string[]
) {
  const account = await openAccount(rows(...people), mapping(policy));
  account.answer(all(...refused));
  await account.import({ concurrency: 1 });
  account.received();
  account.answer(all());
  const sent = () => account.received().map(({ name }) => name);
  const keep = (...kept: string[]) =>
    account.editLines(failedRows, (lines) => lines.filter(([, name = ""]) => kept.includes(name)));
  const skip = (name: string) =>
    account.edit(failedRows, (text) =>
      text.replace(new RegExp(`(,${name},.*?,)(rejected|blocked|invalid),`), "$1skipped,"),
    );
  return { ...account, sent, keep, skip };
}

test("a row that is still invalid stays so with its error, whatever its key waits for", async () => {
  const numbers = (policy?: "block") =>
    mapping(policy).replace("name: name", "name: { column: name, type: integer }");
  for (const policy of ["block", undefined] as const) {
    const people = rows("a 1", "a x", "a 3");
    const { answer, editLines, ...place } = await openAccount(people, numbers(policy));
    answer(() => ({ status: 422 }));
    await place.import({ concurrency: 1 });
    place.received();
    if (policy === undefined) {
      // Row 3 is taken, so that row 2 comes too late.
      answer(() => accepted);
      await editLines(failedRows, ([, , third = []]) => [third]);
      await place.retry();
    }
    await editLines(failedRows, (lines) =>
      lines.flatMap(([key = "", name = "", ...rest]) =>
        name === "x" ? [[key, "y", ...rest]] : [],
      ),
    );
    place.received();
    await place.retry();
    expect(place.received()).toEqual([]);
    expect((await place.lines())[1]).toMatchObject({
      ...{ name: "y", import_status: "invalid", import_error_code: "not_an_integer" },
      import_error: expect.stringContaining('"y" is not a whole number'),
    });
  }
});

describe("superseded", () => {
  test("is an event after which another of its key has succeeded: it stays as it is", async () => {
    const { retry, resume, sent, account, selected, skip, lines, people } = await refusing(
      undefined,
      ["a 1", "a 2", "b 3"],
      ...["1", "3"],
    );
    expect(await retry()).toMatchObject({ counts: { succeeded: 2, rejected: 1 } });
    expect(sent()).toEqual(["3"]);
    expect(selected()).toMatchObject({ superseded: 1, events: 1 });
    expect(await account()).toEqual(["1/1 rejected superseded", "2/1 succeeded", "3/1 succeeded"]);
    expect((await lines())[0]).toMatchObject({
      ...{ import_http_status: "422", import_attempts: "1", import_part: "2" },
      import_error:
        "not sent, because row 2 of the same ordering key has arrived, or may have: set it to skipped, or import it in a file of its own",
    });
    // A complete account says the same as the retry did: nothing of it is to be fixed.
    const summary = await resume();
    expect(nextStep(summary, nextCommandsOf(summary, []))?.before).toContain(
      "what is superseded, or import it in a file of its own",
    );
    const [found] = await findAccounts(people.path(results));
    expect(found).toMatchObject({ open: 1, reason: "1 superseded: skip or import them" });
    await skip("1");
    expect(await retry()).toMatchObject({ counts: { succeeded: 2, skipped: 1 } });
    expect(sent()).toEqual([]);
  });

  test("also by one that may have arrived, and is not sent again", async () => {
    const place = await openAccount(rows("z 0", "a 1", "a 2"), mapping("continue" as never));
    const { answer, import: send, retry, received, account, editLines } = place;
    answer(({ name }) => (name === "1" ? { status: 422 } : name === "2" ? "cut" : accepted));
    await send({ concurrency: 1, delivery: "at-most-once" });
    expect(await account()).toEqual([
      ...["1/1 succeeded", "2/1 rejected http_422"],
      expect.stringMatching(/^3\/1 unknown/),
    ]);
    received();
    await editLines(failedRows, ([first = []]) => [first]);
    await retry();
    expect(received()).toEqual([]);
    expect((await account())[1]).toBe("2/1 rejected superseded");
  });

  test("by one behind another that may have arrived and is to be sent again", async () => {
    const place = await openAccount(rows("z 0", "a 1", "a 2", "a 3"), mapping());
    const { answer, import: send, retry, received, account } = place;
    let isSecond = false;
    answer(({ name }) => {
      if (name === "1") return { status: 422 };
      if (name !== "2") return accepted;
      const reply = isSecond ? ({ status: 422 } as const) : "cut";
      isSecond = true;
      return reply;
    });
    await send({ concurrency: 1, maxAttempts: 2 });
    expect((await account()).slice(1)).toEqual([
      ...["2/1 rejected http_422", "3/1 rejected http_422", "4/1 succeeded"],
    ]);
    received();
    answer(() => accepted);
    await retry();
    expect(received()).toEqual([]);
    expect((await account()).slice(1)).toEqual([
      ...["2/1 rejected superseded", "3/1 rejected superseded", "4/1 succeeded"],
    ]);
  });

  test("is an event of a row whose later event has succeeded, without a key too", async () => {
    const place = await openAccount(
      [["name"], ["Ann"]],
      `version: 1
resource: users
events:
  - { event: one, members: { name: name } }
  - { event: two, members: { name: name } }
on_key_failure: continue
`,
    );
    const { answer, import: send, retry, received, account } = place;
    answer(({ event }) => (event === "one" ? { status: 422 } : accepted));
    await send();
    received();
    await retry();
    expect(received()).toEqual([]);
    expect(await account()).toEqual(["1/1 rejected superseded", "1/2 succeeded"]);
  });

  test("does not keep those behind from being sent, also not after an interruption", async () => {
    const people = ["a 1", "a 2", "a 3", "b 4", "b 5", "b 6"];
    const { answer, retry, resume, sent, account } = await refusing(
      undefined,
      people,
      "1",
      "3",
      "4",
      "6",
    );
    const stop = new AbortController();
    answer(() => {
      stop.abort();
      return accepted;
    });
    expect(await retry(failedRows, { concurrency: 1, signal: stop.signal })).toMatchObject({
      exitReason: "interrupted",
    });
    expect(await resume()).toMatchObject({ exitReason: "complete", counts: { succeeded: 4 } });
    expect(sent()).toEqual(["3", "6"]);
    expect(await account()).toEqual([
      ...["1/1 rejected superseded", "2/1 succeeded", "3/1 succeeded"],
      ...["4/1 rejected superseded", "5/1 succeeded", "6/1 succeeded"],
    ]);
  });
});

describe("blocked", () => {
  const people = ["a 1", "a 2", "a 3", "b 4"];
  const given = () => refusing("block", people, "1");
  const becauseOf = (row: number) =>
    `blocked, because row ${row} of the same ordering key is open and was not sent before it`;

  test("stays so while its blocker is not in the file, and the message says why", async () => {
    const { retry, sent, selected, account, lines, keep, edit } = await given();
    await edit(failedRows, (text) => text.replace("a,2,", "a,two,"));
    await keep("two", "3");
    expect(await retry()).toMatchObject({ counts: { succeeded: 1, rejected: 1, blocked: 2 } });
    expect(sent()).toEqual([]);
    expect(selected()).toMatchObject({ blocked: 2, events: 0 });
    expect(await account()).toEqual([
      ...["1/1 rejected http_422", "2/1 blocked blocked", "3/1 blocked blocked", "4/1 succeeded"],
    ]);
    // What a person has fixed in it is not lost.
    expect((await lines()).slice(1, 3)).toMatchObject([
      { name: "two", import_error: becauseOf(1) },
      { name: "3", import_error: becauseOf(1) },
    ]);
    await retry();
    expect(sent()).toEqual(["1", "two", "3"]);
  });

  test("stays so behind another blocked one that is not in the file", async () => {
    const { retry, sent, account, keep } = await given();
    await keep("1", "3");
    await retry();
    expect(sent()).toEqual(["1"]);
    expect((await account()).slice(1, 3)).toEqual(["2/1 blocked blocked", "3/1 blocked blocked"]);
    await retry();
    expect(sent()).toEqual(["2", "3"]);
  });

  test("is sent if its blocker is set to skipped, in this part or an earlier one", async () => {
    for (const isTogether of [true, false]) {
      const { people, retry, sent, skip, account } = await given();
      const whole = await people.text(failedRows);
      if (!isTogether) {
        await people.write(failedRows, whole.split("\n").slice(0, 2).join("\n"));
      }
      await skip("1");
      await retry();
      if (!isTogether) {
        expect(sent()).toEqual([]);
        await retry();
      }
      expect(sent()).toEqual(["2", "3"]);
      expect((await account())[0]).toBe("1/1 skipped by_hand");
    }
  });

  test("is what follows an event that stays unknown under at-most-once", async () => {
    const place = await openAccount(rows("z 0", "a 1", "b 2", "a 3", "c 4"), mapping());
    const { answer, import: send, retry, received, account } = place;
    answer(({ name = "" }) => (name === "1" ? "cut" : all("2", "4")({ name }, {} as never)));
    await send({ concurrency: 1, delivery: "at-most-once" });
    received();
    answer(all());
    expect(await retry()).toMatchObject({ counts: { succeeded: 3, unknown: 1, blocked: 1 } });
    expect(names(received())).toEqual(["2", "4"]);
    expect(await account()).toEqual([
      ...["1/1 succeeded", expect.stringMatching(/^2\/1 unknown/), "3/1 succeeded"],
      ...["4/1 blocked blocked", "5/1 succeeded"],
    ]);
  });
});
