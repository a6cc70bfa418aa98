import { utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openResultsFile } from "../../src/input/open-results-file.ts";
import { findOriginals } from "../../src/run/compare-with-originals.ts";
import type { RetryOptions } from "../../src/run/import-options.ts";
import { runResume } from "../../src/run/resume.ts";
import { eventload } from "../cli/fake-host.ts";
import { accepted, type Reply, startService } from "../delivery/service-under-test.ts";
import { resultsText, type Told } from "../input/given-results.ts";
import type { Table } from "../nasty-cells.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { openWorkspace } from "./import-under-test.ts";

const mapping = `version: 1
resource: users
event: user.updated
ordering_key: [Key]
when: { column: Active, in: ["true", "TRUE"] }
members:
  email: Email
  zip: Zip
  phone: Phone
  born: Born
`;

const header = ["Key", "Email", "Zip", "Phone", "Born", "Active", "Note"];

const tenPeople = [
  header,
  ...Array.from({ length: 10 }, (_, at) => [
    `00${at + 10}`,
    `p${at}@example`,
    `0${1000 + at}`,
    `49176123456${10 + at}`,
    `2024-02-${10 + at}`,
    "true",
    `000${at}`,
  ]),
];

/** Ten people whom the service has refused, which takes everything from then on. */
async function tenRefused(table: Table = tenPeople, mappingText = mapping) {
  let answer: Reply = { status: 422 };
  const service = await startService(() => answer);
  const people = await openWorkspace(table, mappingText);
  onTestFinished(people.remove);
  await people.import(service.url);
  answer = accepted;
  const before = service.receipts.length;
  const warnings = () =>
    people.notices.flatMap((notice) =>
      notice.kind === "warning" && notice.finding === undefined ? [notice.message] : [],
    );
  const received = () => service.receipts.length - before;
  return { people, url: service.url, received, warnings };
}

type Refused = Awaited<ReturnType<typeof tenRefused>>;
type Change = (cell: string, at: number) => string;
type Changes = Readonly<Record<string, Change>>;

/** Saves a file with the cells of some columns changed. */
async function alter({ people }: Refused, changes: Changes, name = "people.failed.csv") {
  const [header = [], ...lines] = await people.records(name);
  const changed = lines.map((cells, row) =>
    cells.map((cell, at) => changes[header[at] ?? ""]?.(cell, row) ?? cell),
  );
  await people.write(name, [header, ...changed]);
}

/** How many succeed, or what is told where nothing is sent. */
async function retry(
  { people, url, received }: Refused,
  options: Partial<RetryOptions> = {},
  name = "people.failed.csv",
): Promise<number | readonly string[]> {
  return people.retry(url, name, options).then(
    ({ counts }) => counts.succeeded,
    (error: Error & { code?: string; details?: readonly string[] }) => {
      expect(error.code).toBe("cells_altered");
      expect(received()).toBe(0);
      expect(people.has("people.retry-1.results.csv")).toBe(false);
      expect(people.has("people.retry-1.results.csv.journal")).toBe(false);
      return error.details ?? [];
    },
  );
}

const asNumber: Change = (cell) => String(Number(cell));
const asExponent: Change = (cell) => Number(cell).toExponential(2).toUpperCase();
const asUsDate: Change = (cell) => cell.replace(/^(\d+)-0?(\d+)-0?(\d+)$/, "$2/$3/$1");
const where = "row 1 (line 2 of people.failed.csv)";

describe("cells that a program has altered keep everything from being sent", () => {
  test.each<[string, Changes, string, Partial<RetryOptions>?]>([
    [
      "leading zeros of ten rows",
      { Zip: asNumber },
      `column "Zip": leading zeros are lost in 10 of 10 rows, such as "01000" -> "1000" in ${where}`,
    ],
    [
      "the key, of which nothing is in the event",
      { Key: asNumber },
      `column "Key": leading zeros are lost in 10 of 10 rows, such as "0010" -> "10" in ${where}`,
    ],
    [
      "exponents",
      { Phone: asExponent },
      `column "Phone": numbers are cut to an exponent in 10 of 10 rows, such as "4917612345610" -> "4.92E+12" in ${where}`,
    ],
    [
      "dates",
      { Born: asUsDate },
      `column "Born": dates are written in another way in 10 of 10 rows, such as "2024-02-10" -> "2/10/2024" in ${where}`,
    ],
    [
      "a column that a condition alone reads",
      { Active: () => "TRUE" },
      `column "Active": values are written in another way in 10 of 10 rows, such as "true" -> "TRUE" in ${where}`,
    ],
    [
      "zeros, beside the fix of a person",
      { Email: (cell, at) => (at === 3 ? "p3@example.com" : cell), Zip: asNumber },
      `column "Zip": leading zeros are lost in 10 of 10 rows, such as "01000" -> "1000" in ${where}`,
    ],
    [
      "zeros, where rows are not checked",
      { Zip: asNumber },
      `column "Zip": leading zeros are lost in 10 of 10 rows, such as "01000" -> "1000" in ${where}`,
      { check: false },
    ],
    [
      "zeros, where few of the rows are chosen",
      { Zip: asNumber },
      `column "Zip": leading zeros are lost in 10 of 10 rows, such as "01000" -> "1000" in ${where}`,
      { limit: 1 },
    ],
  ])("%s", async (_what, changes, told, options) => {
    const refused = await tenRefused();
    await alter(refused, changes);
    expect(await retry(refused, options)).toEqual([told]);
    expect(await retry(refused, { ...options, allowAltered: true })).toBe(options?.limit ?? 10);
  });

  test("in a file that was sorted, and of which columns were moved", async () => {
    const refused = await tenRefused();
    await alter(refused, { Zip: asNumber });
    const [header = [], ...lines] = await refused.people.records("people.failed.csv");
    const moved = [header, ...lines.toReversed()].map((cells) => cells.toReversed());
    await refused.people.write("people.failed.csv", moved);
    expect(await retry(refused)).toEqual([
      'column "Zip": leading zeros are lost in 10 of 10 rows, such as "01000" -> "1000" in row 1 (line 11 of people.failed.csv)',
    ]);
  });

  test("in the whole results, which the failed rows tell", async () => {
    const refused = await tenRefused();
    const longAgo = new Date(0);
    await utimes(refused.people.path("people.failed.csv"), longAgo, longAgo);
    await alter(refused, { Zip: asNumber }, "people.results.csv");
    expect(await retry(refused, {}, "people.results.csv")).toHaveLength(1);
  });

  test("and then the results can be retried, as they are the original ones", async () => {
    const refused = await tenRefused();
    await alter(refused, { Zip: asNumber, Born: asUsDate });
    expect(await retry(refused)).toHaveLength(2);
    expect(await retry(refused, {}, "people.results.csv")).toBe(10);
  });

  test("of a mapping that is a function, in any column", async () => {
    const refused = await tenRefused(
      tenPeople,
      "version: 1\nresource: users\nevent: e\nmembers: { m: Email }\n",
    );
    const module =
      "export default (row) => ({ resource: 'users', body: { event: 'e', ...row } });\n";
    await refused.people.write("people.mjs", module);
    await alter(refused, { Note: asNumber });
    expect(await retry(refused)).toBe(10);
    const other = await tenRefused();
    await other.people.write("people.mjs", module);
    await alter(other, { Note: asNumber });
    expect(await retry(other, { mapping: other.people.path("people.mjs") })).toHaveLength(1);
  });
});

describe("what a person has fixed goes without a flag", () => {
  test.each<[string, Changes]>([
    ["an e-mail address", { Email: (cell, at) => (at === 3 ? `${cell}.com` : cell) }],
    ["ten of them", { Email: (cell) => `${cell}.com` }],
    ["one date and one code", { Born: (cell, at) => (at === 3 ? "3/2/2024" : cell) }],
    ["a column that the mapping does not read", { Note: asNumber }],
    ["nothing", {}],
  ])("%s", async (_what, changes) => {
    const refused = await tenRefused();
    await alter(refused, changes);
    expect(await retry(refused)).toBe(10);
    expect(refused.warnings()).toEqual([]);
  });

  test("what the mapping could not read", async () => {
    const refused = await tenRefused(
      tenPeople,
      mapping.replace("born: Born", "born: { column: Born, type: date, format: M/d/yyyy }"),
    );
    expect(await refused.people.lines("people.failed.csv")).toMatchObject([
      { import_status: "invalid" },
      ...Array.from({ length: 9 }, () => ({})),
    ]);
    await alter(refused, { Born: asUsDate });
    expect(await retry(refused)).toBe(10);
  });
});

test("a resume of a retry that was allowed them does not ask again", async () => {
  const refused = await tenRefused();
  await alter(refused, { Zip: asNumber });
  const stop = new AbortController();
  const service = await startService(({ n }) => {
    if (n === 1) stop.abort();
    return accepted;
  });
  const { people } = refused;
  const first = { allowAltered: true, signal: stop.signal, concurrency: 1 };
  const stopped = await people.retry(service.url, "people.failed.csv", first);
  expect(stopped).toMatchObject({ exitReason: "interrupted", counts: { succeeded: 2 } });
  const results = people.path("people.retry-1.results.csv");
  const { exitReason, counts } = await runResume({ results, token: "a-token" });
  expect({ exitReason, succeeded: counts.succeeded }).toEqual({
    ...{ exitReason: "complete", succeeded: 10 },
  });
});

describe("where cells cannot be compared, a warning says so", () => {
  const advice =
    "look whether a program has altered cells, such as leading zeros, dates and long numbers.";

  test("without results beside the file", async () => {
    const refused = await tenRefused();
    const { people } = refused;
    await people.write("moved.failed.csv", await people.text("people.failed.csv"));
    const given = { mapping: people.path("people.yaml"), results: people.path("r.csv") };
    expect(await retry(refused, given, "moved.failed.csv")).toBe(10);
    expect(refused.warnings()).toEqual([
      `there is no moved.results.csv to compare with: ${advice}`,
    ]);
  });

  test.each([
    ["that are none", "a,b\n1,2\n", "people.results.csv is not a results file: "],
    ["that are damaged", undefined, "line 2, column 1: a quote"],
  ])("with results %s", async (_what, text, why) => {
    const refused = await tenRefused();
    const { people } = refused;
    const results = await people.text("people.results.csv");
    await people.write("people.results.csv", text ?? results.replace("\n", '\n"'));
    expect(await retry(refused)).toBe(10);
    const [warning, ...others] = refused.warnings();
    expect(others).toEqual([]);
    expect(warning).toContain(`people.results.csv cannot be compared with (${why}`);
    expect(warning).toContain(`): ${advice}`);
  });
});

test("a long file is compared to its end, a part at a time", async () => {
  const folder = await temporaryFolder();
  const text = (altered: number) =>
    resultsText(
      ["Zip"],
      Array.from({ length: 25_000 }, (_, at) => ({
        cells: [at < 25_000 - altered ? `0${at}` : String(at)],
        told: { import_row: String(at + 1) },
      })),
    );
  const path = join(folder, "people.failed.csv");
  await writeFile(join(folder, "people.results.csv"), text(0));
  await writeFile(path, text(15_000));
  const source = await openResultsFile({ kind: "file", path, name: "people.failed.csv" });
  onTestFinished(source.close);
  const mapRow = () => ({ kind: "events", events: [] }) as const;
  const input = { name: source.name, columns: source.columns, columnsRead: ["Zip"], mapRow };
  const originals = await findOriginals(path, input, { warn: expect.fail });
  let rows = 0;
  for await (const batch of originals.watch(source.batches)) rows += batch.length;
  expect(rows).toBe(25_000);
  expect(originals.refusal()?.details).toEqual([
    'column "Zip": leading zeros are lost in 15,000 of 25,000 rows, such as "010000" -> "10000" in row 10001 (line 10002 of people.failed.csv)',
  ]);
});

test.each<[string, Told, number | undefined]>([
  ["a line that is sent is compared", {}, 1],
  ["one of another input is not", { import_input: "fedcba9876543210" }, undefined],
  ["one that has succeeded is not", { import_status: "succeeded" }, undefined],
])("%s", async (_what, told, altered) => {
  const folder = await temporaryFolder();
  const path = join(folder, "people.failed.csv");
  await writeFile(join(folder, "people.results.csv"), resultsText(["Zip"], [{ cells: ["00172"] }]));
  await writeFile(path, resultsText(["Zip"], [{ cells: ["172"], told }]));
  const source = await openResultsFile({ kind: "file", path, name: "people.failed.csv" });
  onTestFinished(source.close);
  const mapRow = () => ({ kind: "events", events: [] }) as const;
  const input = { name: source.name, columns: source.columns, columnsRead: ["Zip"], mapRow };
  const originals = await findOriginals(path, input, { warn: expect.fail });
  for await (const _ of originals.watch(source.batches));
  expect(originals.refusal()?.details.length).toBe(altered);
});

test("the command names the columns and what to do, ends with 2, and takes --allow-altered", async () => {
  const refused = await tenRefused();
  await alter(refused, { Zip: asNumber });
  const { people, received } = refused;
  const failed = people.path("people.failed.csv");
  const { status, stderr } = await eventload(["retry", failed, "--quiet"]);
  expect(stderr).toBe(
    `eventload: people.failed.csv differs from people.results.csv as if a spreadsheet program had altered its cells; nothing was sent. Retry ${people.path("people.results.csv")} to send the original cells, put them back in people.failed.csv (import these columns as text there), or give --allow-altered to send the file as it is.\n  column "Zip": leading zeros are lost in 10 of 10 rows, such as "01000" -> "1000" in ${where}\n`,
  );
  expect(status).toBe(2);
  expect(received()).toBe(0);

  const check = await eventload(["check", failed, "--mapping", people.path("people.yaml")]);
  expect(check.stderr).toContain(
    `warning: column "Zip": leading zeros are lost in 10 of 10 rows, such as "01000" -> "1000" in ${where}: a program seems to have altered them, and retry refuses to send them.\n`,
  );
  expect((await eventload(["retry", failed, "--quiet", "--allow-altered"])).status).toBe(0);
  expect(received()).toBe(10);
});
