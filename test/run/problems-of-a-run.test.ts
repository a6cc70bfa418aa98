import { expect, test } from "vitest";
import type { OutcomeGroup } from "../../src/model/outcome-groups.ts";
import { writeReport } from "../../src/run/account/write-report.ts";
import { startService } from "../delivery/service-under-test.ts";
import { openWorkspace } from "./import-under-test.ts";
import { accepted, eventIn, workspaceOf } from "./planned-people.ts";

type Told = Pick<OutcomeGroup, "status" | "code" | "count"> & Record<"message" | "column", unknown>;

/** In the order in which they are shown. */
function told(groups: readonly Told[]) {
  return groups.map(({ status, code, column, message, count }) => {
    const where = column ? `column ${JSON.stringify(column)}: ` : "";
    return `${count} ${status} ${code} ${where}${message}`;
  });
}

test("what did not succeed is grouped as a report does it, also over the parts of a run", async () => {
  const names = Array.from({ length: 60 }, (_, at) => (at % 10 === 9 ? "" : `n${at}`));
  const workspace = await workspaceOf(names);
  const service = await startService((receipt) => {
    const { row } = eventIn(receipt);
    if (row % 7 === 0)
      return { status: 409, body: JSON.stringify({ message: `row ${row} exists` }) };
    return row === 11 ? { status: 422 } : accepted;
  });
  const results = workspace.path("people.results.csv");
  const limit = { concurrency: 1, maxErrors: 4 } as const;
  const checkless = { ...limit, check: false };
  const first = await workspace.import(service.url, checkless);
  expect(first.exitReason).toBe("too_many_errors");
  expect(first.problems.reduce((sum, { count }) => sum + count, 0)).toBe(5);
  // The lines behind a row that is not settled are not in the part yet.
  const stopped = await writeReport({ results });
  const codes = (groups: readonly Pick<OutcomeGroup, "code">[]) =>
    groups.map(({ code }) => code).toSorted();
  expect(codes(stopped.figures.problems as Told[])).toEqual(codes(first.problems));

  let shown: readonly OutcomeGroup[] = [];
  const last = await workspace.import(service.url, {
    onProgress: (progress) => {
      if (progress.phase === "send") shown = progress.problems;
    },
    concurrency: 3,
    maxErrors: 100,
    check: false,
    resume: "must",
  });
  expect(last).toMatchObject({ exitReason: "complete", counts: { invalid: 6, rejected: 9 } });
  const lines = await workspace.lines("people.results.csv");
  expect(lines.filter(({ import_finished_at }) => import_finished_at === "")).toEqual([]);
  const resumed = workspace.notices.find(({ kind }) => kind === "resumed");
  expect(resumed).toMatchObject({ rows: expect.any(Number), perhapsSent: 0 });
  expect(told(last.problems)).toEqual([
    "8 rejected http_409 row … exists",
    '6 invalid missing_value column "name": is blank, and the mapping requires it',
    "1 rejected http_422 status 422",
  ]);
  const { figures } = await writeReport({ results });
  expect(told(figures.problems as Told[])).toEqual(told(last.problems));
  expect(told(shown)).toEqual(told(last.problems));
  const [largest] = last.problems;
  expect(largest?.first.slice(0, 2)).toMatchObject([
    { row: 7, line: 8, message: "row 7 exists" },
    { row: 14, line: 15 },
  ]);
});

test("cells that do not fit are grouped by column, also those of one line, as a report does it", async () => {
  const workspace = await openWorkspace(
    [
      ["email", "Age", "Signup", "Home 1", "Home 2"],
      ["a@x.io", "old", "31/02/2024", "x", "x"],
      ["b@x.io", "3,5", "2024-01-02", "x", "x"],
      ["c@x.io", "1", "soon", "x", "x"],
      ...[1, 2, 3, 4].map((n) => [`${n}@x.io`, "1", "2024-01-02", "x", "x"]),
    ],
    `version: 1
resource: users
event: user.updated
members:
  email: email
  age: { column: Age, type: integer }
  signup: { column: Signup, type: date, format: iso }
  home1: Home 1
  home2: Home 2
`,
  );
  const service = await startService(({ body }) => {
    const { email } = JSON.parse(body);
    if (email === "4@x.io") return accepted;
    const message = email < "3" ? `email ${email} is taken` : "home2 is too long";
    return { status: 422, body: JSON.stringify({ message }) };
  });
  const { problems, counts } = await workspace.import(service.url);
  expect(counts).toMatchObject({ invalid: 3, rejected: 3 });
  expect(told(problems)).toEqual([
    '2 invalid not_an_integer column "Age": is not a whole number',
    '2 invalid not_a_date column "Signup": is not a date in ISO 8601 (such as 2024-05-31)',
    '2 rejected http_422 column "email": email … is taken',
    '1 rejected http_422 column "Home 2": home2 is too long',
  ]);
  const { figures } = await writeReport({ results: workspace.path("people.results.csv") });
  expect(told(figures.problems as Told[])).toEqual(told(problems));
});

test("an invalid row is told once, by the check", async () => {
  const workspace = await workspaceOf(["", "n"]);
  const service = await startService(() => accepted);
  await workspace.import(service.url, {});
  const told = workspace.notices.filter(({ kind }) => kind === "invalid" || kind === "checked");
  expect(told).toMatchObject([{ kind: "invalid", row: { row: 1 } }, { kind: "checked" }]);
});

test("a retry tells of rows and lines as the input has them", async () => {
  const workspace = await workspaceOf(["a", "b", "", "d", "", ""]);
  const service = await startService(() => accepted);
  await workspace.import(service.url);
  const again = await workspace.retry(service.url, "people.failed.csv");
  const first = [3, 5, 6].map((row) => ({ row, line: row + 1 }));
  expect(again.problems).toMatchObject([{ status: "invalid", first }]);
});
