import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Reply, startService } from "../delivery/service-under-test.ts";
import { type Scenario, scenario } from "./scenario.ts";

/** A service that answers by the name in the body, 202 unless said otherwise. */
async function serviceByName() {
  let answers: Readonly<Record<string, Reply>> = {};
  let otherwise: Reply = { status: 202 };
  const nameOf = (body: string): string => JSON.parse(body).name;
  const service = await startService(({ body }) => answers[nameOf(body)] ?? otherwise);
  let seen = 0;
  return {
    url: service.url,
    received: service.received,
    receipts: service.receipts,
    answer(by: typeof answers, others: Reply = { status: 202 }) {
      [answers, otherwise] = [by, others];
    },
    /** The names that have been received since the last call. */
    names() {
      const fresh = service.receipts.slice(seen);
      seen = service.receipts.length;
      return fresh.map(({ body }) => nameOf(body)).toSorted();
    },
  };
}

const refused: Reply = { status: 422 };
const failedRows = "out/people.failed.csv";
const retry = (...args: string[]) => ["retry", failedRows, "--json", ...args];

/** Imports 13 rows: three are refused, and three invalid. */
async function imported() {
  const service = await serviceByName();
  const people = await scenario("fix-and-retry");
  service.answer({ "Person 1": refused, "Person 2": refused, "Person 5": refused });
  const { status } = await people.eventload([
    ...["import", "people.csv", "--mapping", "people.yaml", "--base-url", service.url],
    ...["--results", "out/people.results.csv"],
  ]);
  expect(status).toBe(1);
  expect(service.names()).toHaveLength(10);
  return { people, service };
}

/** The same, and its failed rows retried once: two of them are delivered. */
async function retriedOnce() {
  const { people, service } = await imported();
  service.answer({ "Person 5": refused });
  const first = await people.eventload(retry());
  expect(JSON.parse(first.stdout)).toMatchObject({ succeeded: 2, rejected: 1, retried_before: [] });
  expect(service.names()).toEqual(["Person 1", "Person 2", "Person 5"]);
  return { people, service };
}

async function change(people: Scenario, file: string, from: string, to: string): Promise<void> {
  const path = join(people.folder, file);
  const text = await readFile(path, "utf8");
  expect(text).toContain(from);
  await writeFile(path, text.replace(from, to));
}

describe("retrying the same file again", () => {
  it("leaves out what another retry has delivered, says so, and sends what was fixed since", async () => {
    const { people, service } = await retriedOnce();
    await change(people, failedRows, "person2@", "second@");
    await change(people, failedRows, ",12.5,", ",12,");
    const left = "1 event was delivered by people.retry-1.results.csv and is left out.";
    const check = ["check", failedRows, "--mapping", "people.yaml", "--json"];
    const checked = await people.eventload(check);
    expect(checked.stderr).toContain(`note: ${left}`);
    expect(JSON.parse(checked.stdout)).toMatchObject({
      ...{ rows: 6, events: 3, invalid_rows: 2, skipped_rows: 1 },
      retried_before: [{ results: "people.retry-1.results.csv", delivered: 1, unknown: 0 }],
    });

    service.answer({});
    const second = await people.eventload(retry());
    expect(second.stderr).toContain(`\n${left}\n`);
    expect(second.stderr.match(/warning: .*/g)).toEqual([
      "warning: 1 event is sent with other data than people.retry-1.results.csv sent for the same row: make sure that this file has the newer data.",
    ]);
    expect(JSON.parse(second.stdout)).toMatchObject({
      ...{ skipped: 1, succeeded: 3, invalid: 2, attempts: 3 },
      retried_before: [{ results: "people.retry-1.results.csv", delivered: 1, unknown: 0 }],
    });
    expect(service.names()).toEqual(["Person 11", "Person 2", "Person 5"]);
    const [line] = await people.records("out/people.retry-2.results.csv");
    const [original] = await people.records("out/people.retry-1.results.csv");
    expect(line).toMatchObject({
      ...{ Name: "Person 1", import_status: "skipped", import_error_code: "already_succeeded" },
      import_error: "succeeded in people.retry-1.results.csv",
      import_event_id: original?.import_event_id,
    });

    const third = await people.eventload(retry("--no-check"));
    expect(third.stderr).toContain(
      "What people.retry-1.results.csv and people.retry-2.results.csv delivered is left out.",
    );
    const fourth = await people.eventload(retry());
    expect(fourth.stderr).toContain(
      "4 events were delivered by people.retry-1.results.csv (1) and people.retry-2.results.csv (3) and are left out.",
    );
    expect(service.names()).toEqual([]);
  });

  it("counts what went to another service, or was left by an import before, not at all", async () => {
    const { people, service } = await retriedOnce();
    const other = await serviceByName();
    const elsewhere = await people.eventload(retry("--base-url", other.url));
    expect(elsewhere.stderr).not.toContain("delivered by");
    expect(other.names()).toEqual(["Person 1", "Person 2", "Person 5"]);

    const manifest = "out/people.retry-1.run.json";
    const { finished_at: finishedAt } = JSON.parse(await people.read(manifest));
    await change(people, manifest, finishedAt, "2020-01-01T00:00:00.000Z");
    const later = await people.eventload(retry());
    expect(later.stderr).not.toContain("delivered by");
    expect(service.names()).toEqual(["Person 1", "Person 2", "Person 5"]);
  });

  it("warns only where a retry has delivered something that is sent again", async () => {
    const { people, service } = await imported();
    service.answer({}, refused);
    await people.eventload(retry());
    await rm(join(people.folder, "out/people.retry-1.results.csv"));
    const nothingLost = await people.eventload(retry());
    expect(nothingLost.stderr).not.toContain("warning:");

    service.names();
    service.answer({}, { status: 202 });
    await people.eventload(retry());
    expect(service.names()).toHaveLength(3);
    const manifest = join(people.folder, "out/people.retry-3.run.json");
    await rename(manifest, join(people.folder, "kept.json"));
    const again = await people.eventload(retry());
    expect(again.status).toBe(2);
    expect(again.stderr).toContain(
      "people.retry-3.results.csv does not say what that retry delivered: there is neither its manifest people.retry-3.run.json nor a journal people.retry-3.results.csv.journal beside it. Put back what it wrote, or move it away with its manifest to send all of it again. Nothing was sent.",
    );
    expect(service.names()).toEqual([]);
    await rename(join(people.folder, "kept.json"), manifest);
    await rm(join(people.folder, "out/people.retry-3.results.csv"));
    const missing = await people.eventload(retry());
    expect(missing.stderr).toContain(
      "warning: people.retry-3.results.csv is missing: what that retry delivered is sent again.",
    );
    expect(service.names()).toHaveLength(3);
  });

  it("counts a retry whose file was changed meanwhile, and refuses one whose journal is lost", async () => {
    const { people, service } = await retriedOnce();
    const manifest = "out/people.retry-1.run.json";
    await change(people, manifest, '"exit_reason": "complete"', '"exit_reason": "input_changed"');
    service.answer({}, refused);
    expect((await people.eventload(retry())).stderr).toContain("2 events were delivered by");
    expect(service.names()).toEqual(["Person 5"]);

    await change(people, manifest, '"exit_reason": "input_changed"', '"exit_reason": "outage"');
    const lost = await people.eventload(retry());
    expect(lost.status).toBe(2);
    expect(lost.stderr).toContain(
      "its run stopped early (outage), and its journal people.retry-1.results.csv.journal is missing.",
    );
    expect(service.names()).toEqual([]);
  });

  it("refuses results that are not what that retry wrote, and sends nothing", async () => {
    const { people, service } = await retriedOnce();
    const path = join(people.folder, "out/people.retry-1.results.csv");
    const text = await readFile(path, "utf8");
    await writeFile(path, `${text.split("\n").slice(0, 3).join("\n")}\n`);
    const { status, stderr } = await people.eventload(retry());
    expect(status).toBe(2);
    expect(stderr).toContain(
      "people.retry-1.results.csv does not say what that retry delivered: it has 2 lines, and its run wrote 6.",
    );
    const check = ["check", failedRows, "--mapping", "people.yaml"];
    expect((await people.eventload(check)).stderr).toContain(
      "warning: people.retry-1.results.csv does not say what that retry delivered",
    );
    await writeFile(path, text.replace("import_event_id", "id"));
    expect((await people.eventload(retry())).stderr).toContain(
      "it has lost the columns import_event_id",
    );
    expect(service.names()).toEqual([]);
  });
});

const manyRows = 60;
const lastNames = Array.from({ length: 20 }, (_, at) => `Person ${40 + at}`);

describe("a retry of a file that was retried before, killed on its way", () => {
  it("leaves out the same events when it is resumed, and is not resumed without their results", async () => {
    const service = await serviceByName();
    const people = await scenario("fix-and-retry");
    const rows = Array.from(
      { length: manyRows },
      (_, at) => `p${at}@example.com,Person ${at},30,1`,
    );
    const table = ["Email,Name,Age,Zip", ...rows, ""].join("\n");
    await writeFile(join(people.folder, "people.csv"), table);
    service.answer({}, refused);
    await people.eventload([
      ...["import", "people.csv", "--mapping", "people.yaml", "--base-url", service.url],
      ...["--results", "out/people.results.csv"],
    ]);
    service.answer(Object.fromEntries(lastNames.map((name) => [name, { status: 202 }])), refused);
    await people.eventload(retry());
    service.names();

    // Row 6 is the first to get no answer.
    service.answer({ "Person 5": "silence" });
    const { child, ended } = people.start(retry("--concurrency", "1"));
    await service.received(2 * manyRows + 6);
    child.kill("SIGKILL");
    await ended;
    expect((await people.eventload(retry())).stderr).toContain("belongs to an unfinished run");
    service.answer({});

    const first = join(people.folder, "out/people.retry-1.results.csv");
    const resume = ["resume", "out/people.retry-2.results.csv", "--json"];
    await rename(first, `${first}.away`);
    const refusal = await people.eventload(resume);
    expect(refusal.status).toBe(2);
    expect(refusal.stderr).toContain("of an earlier retry are not what they were");
    await rename(`${first}.away`, first);
    const resumed = await people.eventload(resume);
    expect(resumed.status).toBe(0);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ rows: 60, succeeded: 40, skipped: 20 });
    const names = service.names();
    expect(new Set(names).size).toBe(40);
    expect(names.filter((name) => lastNames.includes(name))).toEqual([]);
  });
});

const keyed = `version: 1
resource: contacts
event: contact.imported
ordering_key: [Zip]
members:
  email: Email
  name: Name
`;

it("what is left out as delivered does not block its key; what is unknown since another retry does", async () => {
  const service = await serviceByName();
  const people = await scenario("fix-and-retry");
  const table = `Email,Name,Age,Zip\n${["a", "b", "c", "d"].map((name, at) => `${name}@x,${name},1,${at < 2 ? "K" : "L"}`).join("\n")}\n`;
  await writeFile(join(people.folder, "people.csv"), table);
  await writeFile(join(people.folder, "people.yaml"), keyed);
  service.answer({}, refused);
  await people.eventload([
    ...["import", "people.csv", "--mapping", "people.yaml", "--base-url", service.url],
    ...["--results", "out/people.results.csv", "--delivery", "at-most-once"],
  ]);
  service.answer({ b: refused, c: "cut" });
  await people.eventload(retry());
  const [, , cut] = await people.records("out/people.retry-1.results.csv");
  expect(cut).toMatchObject({ import_status: "unknown", import_unanswered: "1" });
  service.names();

  service.answer({});
  const again = await people.eventload(retry());
  expect(again.stderr).toContain(
    "1 event was delivered by people.retry-1.results.csv and is left out.",
  );
  expect(again.stderr).toContain(
    "1 event is unknown since people.retry-1.results.csv and is not sent again under --delivery at-most-once.",
  );
  expect(service.names()).toEqual(["b"]);
  const lines = await people.records("out/people.retry-2.results.csv");
  expect(lines.map((line) => line.import_status)).toEqual([
    "skipped",
    "succeeded",
    "unknown",
    "blocked",
  ]);
  expect(lines[2]).toMatchObject({
    import_unanswered: "1",
    import_error_code: cut?.import_error_code,
    import_event_id: cut?.import_event_id,
    import_error: "unknown since people.retry-1.results.csv, and not sent again",
  });

  // Who clears the status of a line has decided that it is sent.
  const left = "out/people.retry-2.failed.csv";
  await change(people, left, ",unknown,", ",,");
  service.answer({ c: refused });
  const cleared = await people.eventload(["retry", left, "--json"]);
  expect(JSON.parse(cleared.stdout)).toMatchObject({ rejected: 1, succeeded: 1 });
  expect(service.names()).toEqual(["c", "d"]);
  service.answer({});

  const anyway = await people.eventload(retry("--delivery", "at-least-once"));
  expect(anyway.stderr).not.toContain("unknown since");
  // What came after it in its key follows it again.
  expect(service.names()).toEqual(["c", "d"]);
});

const twoEvents = `version: 1
events:
  - resource: users
    event: user.imported
    members: { email: Email, name: Name, age: { column: Age, type: integer } }
  - resource: contacts
    event: contact.imported
    members: { mail: Email, name: Name, kind: { value: contact } }
`;

it("of a row that gives several events, only those that were delivered are left out", async () => {
  const people = await scenario("fix-and-retry");
  let isContactRefused = true;
  const service = await startService(({ path }) =>
    path.includes("contacts") && isContactRefused ? refused : { status: 202 },
  );
  const table = "Email,Name,Age,Zip\na@x,a,?,1\n";
  await writeFile(join(people.folder, "people.csv"), table);
  await writeFile(join(people.folder, "people.yaml"), twoEvents);
  const first = await people.eventload([
    ...["import", "people.csv", "--mapping", "people.yaml", "--base-url", service.url],
    ...["--results", "out/people.results.csv"],
  ]);
  expect(first.status).toBe(1);
  await change(people, failedRows, "a@x,a,?", "a@x,a,7");
  expect(JSON.parse((await people.eventload(retry())).stdout)).toMatchObject({
    ...{ succeeded: 1, rejected: 1 },
  });
  isContactRefused = false;
  const again = await people.eventload(retry());
  expect(again.stderr).toContain("1 event was delivered by people.retry-1.results.csv");
  expect(JSON.parse(again.stdout)).toMatchObject({
    ...{ rows: 1, events: 2, succeeded: 1, skipped: 1, attempts: 1 },
  });
  expect(service.receipts.map(({ path }) => path.split("/").at(-2))).toEqual([
    "users",
    "contacts",
    "contacts",
  ]);
});

/** Imports rows of Email, Name and Zip, the ordering key, all of which the service refuses. */
async function importedByKey(rows: readonly string[], options: readonly string[] = []) {
  const service = await serviceByName();
  const people = await scenario("fix-and-retry");
  const lines = rows.map((row) => {
    const [name = "", key = ""] = row.split(" ");
    return `${name}@x,${name},1,${key}\n`;
  });
  await writeFile(join(people.folder, "people.csv"), `Email,Name,Age,Zip\n${lines.join("")}`);
  await writeFile(join(people.folder, "people.yaml"), keyed);
  service.answer({}, refused);
  await people.eventload([
    ...["import", "people.csv", "--mapping", "people.yaml", "--base-url", service.url],
    ...["--results", "out/people.results.csv", ...options],
  ]);
  service.answer({});
  const inOrder = () => service.receipts.map(({ body }) => JSON.parse(body).name);
  let seen = inOrder().length;
  return {
    people,
    service,
    /** The names that have been received since the last call, in order. */
    received() {
      const names = inOrder().slice(seen);
      seen += names.length;
      return names;
    },
  };
}

describe("the order of a key, where a file is retried again", () => {
  it("is kept: what was delivered is sent again after an earlier event of the key", async () => {
    const { people, received } = await importedByKey(["first K", "last K", "other L"]);
    await people.eventload(retry());
    expect(received().toSorted()).toEqual(["first", "last", "other"]);
    await change(people, failedRows, ",first,", ",First,");
    const warnings = [
      "1 event is sent with other data than people.retry-1.results.csv sent for the same row: make sure that this file has the newer data.",
      "1 event was delivered by people.retry-1.results.csv and is sent again, because an earlier event of the same ordering_key is sent after that.",
    ];
    const check = ["check", failedRows, "--mapping", "people.yaml", "--json"];
    const checked = JSON.parse((await people.eventload(check)).stdout);
    expect(checked).toMatchObject({ events: 2, warnings });
    const again = await people.eventload(retry());
    for (const warning of warnings) expect(again.stderr).toContain(`warning: ${warning}\n`);
    expect(again.stderr).toContain(
      "1 event was delivered by people.retry-1.results.csv and is left",
    );
    expect(received()).toEqual(["First", "last"]);
    await people.eventload(retry("--no-check"));
    expect(received()).toEqual([]);
  });

  it("is kept where a retry sent only a part of the file", async () => {
    const { people, received } = await importedByKey(["first K", "last K"]);
    await people.eventload(retry());
    await change(people, failedRows, ",first,", ",First,");
    await people.eventload(retry("--limit", "1"));
    expect(received()).toEqual(["first", "last", "First"]);
    await people.eventload(retry());
    expect(received()).toEqual(["last"]);
  });

  it("is kept by a resume, which finds the earlier events in the results already", async () => {
    // More than are read at once: the resume could begin to read behind the first row.
    const names = Array.from({ length: 3000 }, (_, at) => `n${at} K${at}`);
    const { people, service, received } = await importedByKey(["first K", ...names, "last K"]);
    await people.eventload(retry());
    expect(received()).toHaveLength(3002);
    const [bad1, bad2] = ["N2998", "N2999"];
    for (const name of ["First", bad1, bad2]) {
      await change(people, failedRows, `,${name.toLowerCase()},`, `,${name},`);
    }
    service.answer({ [bad1]: refused, [bad2]: refused });
    const stopped = await people.eventload(retry("--concurrency", "1", "--max-errors", "1"));
    expect(stopped.status).toBe(3);
    expect(received()).not.toContain("last");
    expect((await people.records("out/people.retry-2.results.csv"))[0]).toMatchObject({
      ...{ Name: "First", import_status: "succeeded" },
    });
    service.answer({});
    await people.eventload(["resume", "out/people.retry-2.results.csv", "--max-errors", "9"]);
    expect(received().at(-1)).toBe("last");
  });
});

describe("a cell that is changed and put back", () => {
  it("is sent again, as the service has other data", async () => {
    const { people, received } = await importedByKey(["one", "same"]);
    await people.eventload(retry());
    await change(people, failedRows, ",one,", ",two,");
    await people.eventload(retry());
    await change(people, failedRows, ",two,", ",one,");
    const third = await people.eventload(retry());
    expect(third.stderr).toContain(
      "warning: 1 event is sent with other data than people.retry-2.results.csv sent for the same row",
    );
    expect(received()).toEqual(["one", "same", "two", "one"]);
    expect((await people.eventload(retry())).stderr).toContain(
      "2 events were delivered by people.retry-3.results.csv (1) and people.retry-1.results.csv (1) and are left out.",
    );
    expect(received()).toEqual([]);
  });

  it("is warned of where the results or older failed rows would send the old cell", async () => {
    const { people, service, received } = await importedByKey(["one"]);
    service.answer({}, refused);
    await people.eventload(retry());
    service.answer({});
    await change(people, failedRows, ",one,", ",two,");
    await people.eventload(retry());
    expect(received()).toEqual(["one", "two"]);
    for (const file of ["out/people.retry-1.failed.csv", "out/people.results.csv"]) {
      const check = ["check", file, "--mapping", "people.yaml"];
      expect((await people.eventload(check)).stderr).toContain(
        "warning: 1 event is sent with other data than people.retry-2.results.csv sent for the same row: make sure that this file has the newer data.",
      );
    }
    expect(received()).toEqual([]);
  });
});

describe("an event that another retry left without an answer", () => {
  const warning =
    "1 event got no answer in people.retry-1.results.csv, may have arrived, and is sent again.";
  const unansweredOf = async (people: Scenario, number: number) => {
    const lines = await people.records(`out/people.retry-${number}.results.csv`);
    return lines.map((line) => [line.Name, line.import_status, line.import_unanswered]);
  };

  it("is marked when it is sent again", async () => {
    const others = Array.from({ length: 40 }, (_, at) => `n${at}`);
    const { people, service, received } = await importedByKey(["first", "lost", ...others]);
    service.answer({ lost: "cut" });
    // The service is well: others succeed between the attempts.
    await people.eventload(retry("--max-attempts", "2", "--rate", "20/s"));
    expect((await unansweredOf(people, 1))[1]).toEqual(["lost", "unknown", "2"]);
    service.answer({});
    received();
    const again = await people.eventload(retry("--rate", "1000/s"));
    expect(again.stderr).toContain(`warning: ${warning}`);
    expect(received()).toEqual(["lost"]);
    const [first, lost] = await unansweredOf(people, 2);
    expect(first).toEqual(["first", "skipped", "0"]);
    expect(lost).toEqual(["lost", "succeeded", "2"]);
  });

  it("is so too where the first retry was at-most-once", async () => {
    const { people, service } = await importedByKey(
      ["fine", "lost"],
      ["--delivery", "at-most-once"],
    );
    service.answer({ lost: "cut" });
    await people.eventload(retry());
    service.answer({});
    const again = await people.eventload(retry("--delivery", "at-least-once"));
    expect(again.stderr).toContain(`warning: ${warning}`);
    expect((await unansweredOf(people, 2))[1]).toEqual(["lost", "succeeded", "1"]);
  });
});
