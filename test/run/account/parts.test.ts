import { rm } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { all, failedRows, oneEvent, openAccount, results, table } from "./account-under-test.ts";

const five = ["Ann", "Bo", "Cy", "Di", "Ed"];

async function refusing(...refused: string[]) {
  const account = await openAccount(table(...five), oneEvent);
  account.answer(all(...refused));
  await account.import();
  account.received();
  return account;
}

describe("what the account says of its parts", () => {
  test("attempts and unanswered ones are over all of them, and each line says which part wrote it", async () => {
    const account = await openAccount(table(...five), oneEvent);
    const { answer, import: send, retry, lines, manifest, people } = account;
    answer(({ name = "" }) =>
      name === "Bo" ? { status: 500 } : name === "Cy" ? "cut" : all("Di")({ name }, {} as never),
    );
    await send();
    const figures = async () =>
      (await lines()).map((line) =>
        ["status", "attempts", "unanswered", "part"].map((at) => line[`import_${at}`]).join(" "),
      );
    expect(await figures()).toEqual([
      ...["succeeded 1 0 1", "failed 3 0 1", "unknown 3 3 1", "rejected 1 0 1", "succeeded 1 0 1"],
    ]);
    answer(all("Bo"));
    const second = await retry(failedRows, { concurrency: 2 });
    expect(await figures()).toEqual([
      ...[
        "succeeded 1 0 1",
        "rejected 4 0 2",
        "succeeded 4 3 2",
        "succeeded 2 0 2",
        "succeeded 1 0 1",
      ],
    ]);
    expect(second).toMatchObject({
      ...{ rows: 5, events: 5, attempts: 12, unanswered: 3, perhapsTwice: 1 },
      ...{ counts: { succeeded: 4, rejected: 1 }, isOver: true },
      part: { number: 2, rows: 3, counts: { succeeded: 2, rejected: 1 } },
    });
    answer(all());
    await retry();
    expect(await figures()).toEqual([
      ...[
        "succeeded 1 0 1",
        "succeeded 5 0 3",
        "succeeded 4 3 2",
        "succeeded 2 0 2",
        "succeeded 1 0 1",
      ],
    ]);
    const { parts, ...whole } = await manifest();
    expect(parts).toMatchObject([
      ...[{ part: 1, command: "import", rows: 5, attempts: 9, unanswered: 3, is_over: true }],
      ...[{ part: 2, command: "retry", rows: 3, attempts: 12 - 9, concurrency: 2, is_over: true }],
      ...[{ part: 3, command: "retry", rows: 1, attempts: 1, counts: { succeeded: 1 } }],
    ]);
    expect(whole).toMatchObject({
      ...{ rows: 5, events: 5, attempts: 13, unanswered: 3, counts: { succeeded: 5 } },
      ...{ failed_rows: null, failed_rows_file: null, exit_reason: "complete" },
      reconciliation: { rows_read: 5, rows_written: 5, lines: 5, adds_up: true },
    });
    expect(people.has(failedRows)).toBe(false);
    const files = await import("node:fs/promises").then(({ readdir }) => readdir(people.folder));
    expect(files.toSorted()).toEqual([
      ...["people.csv", "people.results.csv", "people.run.json", "people.yaml"],
    ]);
  });

  test("a retry is not begun without room for all that it writes until its end", async () => {
    const { answer, refused, retryWithRoom, received } = await refusing("Bo");
    answer(all());
    received();
    expect(await refused(() => retryWithRoom(100 * 1024))).toMatchObject({
      code: "disk_too_small",
      message: expect.stringMatching(
        /may need 4\d\d KiB, and the disk has 100 KiB left: make room/,
      ),
    });
    expect(received()).toEqual([]);
    expect(await retryWithRoom(1024 * 1024)).toMatchObject({ counts: { succeeded: 5 } });
  });
});

test("a retry keeps the line of the input in the results, and names the line of the given file", async () => {
  const { people, retry, lines } = await refusing("Bo", "Di");
  const linesOf = async () => (await lines()).map(({ import_line }) => import_line);
  const before = await linesOf();
  const told = people.notices.length;
  await retry();
  expect(await linesOf()).toEqual(before);
  const notices = people.notices.slice(told);
  const places = notices.flatMap((one) => (one.kind === "not_succeeded" ? [one.row] : []));
  expect(places.toSorted((one, other) => one.row - other.row)).toMatchObject([
    { row: 2, line: 2, resultsFile: failedRows },
    { row: 4, line: 3, resultsFile: failedRows },
  ]);
});

test("the retry of a gone key sends its gone event", async () => {
  const mapping = `version: 1
resource: users
event: user.updated
ordering_key: [name]
gone: { event: user.deleted, members: { name: name } }
members: { name: name }
`;
  const {
    people,
    answer,
    import: send,
    retry,
    received,
  } = await openAccount(table(...five), mapping);
  const state = people.path("people.state.jsonl");
  const night = { state, maxGone: "100%" } as const;
  await send({ ...night, results: people.path("1.results.csv") });
  await people.write("people.csv", table(...five.slice(1)));
  answer(all("Ann"));
  await send({ ...night, results: people.path("2.results.csv") });
  received();
  answer(all());
  await retry("2.failed.csv", { results: people.path("2.results.csv") });
  expect(received()).toEqual([{ event: "user.deleted", name: "Ann" }]);
});

test("failed rows that somebody has emptied are there again after a retry", async () => {
  const { retry, editLines, people, received } = await refusing("Bo", "Cy");
  const before = await people.text(failedRows);
  await editLines(failedRows, () => []);
  expect(await retry()).toMatchObject({ counts: { succeeded: 3, rejected: 2 } });
  expect(received()).toEqual([]);
  expect(await people.text(failedRows)).toBe(before);
});

test("attempts are those of all parts where a retry stops, and where its resume stops before it reads", async () => {
  const { answer, retry, resume } = await refusing("Bo", "Di");
  const stop = new AbortController();
  answer((...given) => {
    stop.abort();
    return all("Bo")(...given);
  });
  const inAll = { attempts: 6, sending: { attempts: 6, retries: 1 } };
  const stopped = await retry(failedRows, { concurrency: 1, signal: stop.signal });
  expect(stopped).toMatchObject({ ...inAll, exitReason: "interrupted", rows: 2, events: 1 });
  const again = await resume({ signal: AbortSignal.abort() });
  expect(again).toMatchObject({ ...inAll, exitReason: "interrupted" });
  answer(all());
  expect(await resume()).toMatchObject({ attempts: 7, sending: { attempts: 7, retries: 2 } });
});

test.each([
  [500, false],
  [503, false],
  [401, undefined],
])(
  "what was answered with %i, and then stopped, is a part that is left: %s",
  async (status, isOver) => {
    const { answer, import: send, resume, received } = await openAccount(table(...five), oneEvent);
    const stop = new AbortController();
    answer(() => {
      stop.abort();
      return { status };
    });
    const stopped = await send({ concurrency: 1, signal: stop.signal });
    expect(stopped.isOver).toBe(isOver);
    const sent = received().length;
    answer(all());
    const ended = isOver === undefined ? await send() : await resume();
    expect(ended).toMatchObject({ exitReason: "complete", counts: { succeeded: 5 } });
    expect(ended.attempts).toBe((isOver === undefined ? 0 : sent) + received().length);
  },
);

describe("what somebody does to the results while a part runs is not overwritten", () => {
  test("of an import, results that were made", async () => {
    const account = await openAccount(table(...five), oneEvent);
    const { people, answer, import: send, resume, received } = account;
    answer(async (body, receipt) => {
      if (body.name === "Ed") await people.write(results, "somebody's own");
      return all()(body, receipt);
    });
    expect(await send()).toMatchObject({
      exitReason: "files_changed",
      message: `${people.path(results)} was changed during the run: move it away, then resume.`,
    });
    expect(await people.text(results)).toBe("somebody's own");
    await rm(people.path(results));
    expect(await resume()).toMatchObject({ exitReason: "complete", counts: { succeeded: 5 } });
    expect(received()).toHaveLength(5);
  });

  test("of a retry, results that were changed", async () => {
    const { people, answer, retry, resume, received } = await refusing("Bo");
    const before = await people.text(results);
    const changed = before.replace("Ann", "Eve");
    answer(async (body, receipt) => {
      await people.write(results, changed);
      return all()(body, receipt);
    });
    expect(await retry()).toMatchObject({
      exitReason: "files_changed",
      message: `${people.path(results)} is not as eventload wrote it: it was changed. Put back what eventload wrote, then resume.`,
    });
    expect(await people.text(results)).toBe(changed);
    await people.write(results, before);
    expect(await resume()).toMatchObject({ exitReason: "complete", counts: { succeeded: 5 } });
    expect(received()).toHaveLength(1);
  });
});

test("a resume of a complete account changes nothing", async () => {
  const { resume } = await refusing("Bo");
  expect(await resume()).toMatchObject({ exitReason: "complete", counts: { rejected: 1 } });
});
