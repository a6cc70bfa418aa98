import { writeFile } from "node:fs/promises";
import { stringify } from "csv-stringify/sync";
import { writeXlsx } from "hucre";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RetryOptions } from "../../src/run/import-options.ts";
import { accepted, startService } from "../delivery/service-under-test.ts";
import { readLines } from "../temporary-folder.ts";
import { openWorkspace, type Workspace } from "./import-under-test.ts";

const mapping = `version: 1
resource: users
event: user.updated
members:
  name: Name
  zip: Zip
  phone: Phone
  born: Born
`;

const table = [
  ["Name", "Zip", "Phone", "Born"],
  ["Zoë", "00172", "4917612345678", "03/04/1990"],
  ["Bo", "98101", "4917612345679", "23/04/1990"],
  ["Čeněk; or = not", "00420", "4917612345680", "13/11/1991"],
  ["Di", "10115", "4917612345681", "01/12/1992"],
];

/** Four people whom the service has refused, and one that takes everything. */
async function refused(): Promise<{ people: Workspace; url: string; received: () => number }> {
  const first = await startService(() => ({ status: 422 }));
  const service = await startService(() => accepted);
  const people = await openWorkspace(table, mapping);
  onTestFinished(people.remove);
  expect((await people.import(first.url)).counts.rejected).toBe(4);
  return { people, url: service.url, received: () => service.receipts.length };
}

type Cells = readonly (readonly string[])[];
type Save = (lines: Cells) => string | Uint8Array | Promise<Uint8Array>;

const csv =
  (delimiter: string, before = "\ufeff"): Save =>
  (lines) =>
    before + stringify(lines as string[][], { delimiter, record_delimiter: "\r\n" });

/** Saves the failed rows as some program would, retries them, and collects what is warned of. */
async function savedAndRetried(
  change: (lines: string[][]) => Cells,
  save: Save = csv(","),
  options: Partial<RetryOptions> & { readonly name?: string } = {},
) {
  const { people, url, received } = await refused();
  const { name = "people.failed.csv", ...rest } = options;
  const before = await people.lines("people.failed.csv");
  await writeFile(people.path(name), await save(change(await people.records("people.failed.csv"))));
  const warnings: string[] = [];
  let changes: unknown;
  const summary = await people.retry(url, name, {
    ...rest,
    onNotice(notice) {
      if (notice.kind === "warning") {
        expect(received()).toBe(0);
        warnings.push(notice.message);
      } else if (notice.kind === "checked") changes = notice.report.changes;
    },
  });
  const after = await readLines(people.path("people.retry-1.results.csv"));
  const ids = (lines: typeof after) => lines.map((line) => line.import_event_id);
  return { summary, warnings, changes, after, idsBefore: ids(before), idsAfter: ids(after) };
}

const asTheyAre = (lines: string[][]) => lines;

const latin: Save = (lines) =>
  Buffer.from(
    stringify(lines.map((cells) => cells.map((cell) => cell.replaceAll(/[Čě]/g, "e")))),
    "latin1",
  );

describe("failed rows that a program saved its own way are the same events as before", () => {
  test.each<[string, Save, { readonly name?: string }?]>([
    ["commas, a mark and CRLF", csv(",")],
    ["semicolons", csv(";")],
    ["tabs", csv("\t", "")],
    ["Excel's Unicode text", (lines) => Buffer.from(csv("\t")(lines) as string, "utf16le")],
    [
      "a workbook",
      (lines) =>
        writeXlsx({ sheets: [{ name: "people", rows: lines.map((cells) => [...cells]) }] }),
      { name: "people.failed.xlsx" },
    ],
  ])("%s", async (_form, save, options = {}) => {
    const retried = await savedAndRetried(asTheyAre, save, options);
    expect(retried.summary).toMatchObject({ exitReason: "complete", counts: { succeeded: 4 } });
    expect(retried.idsAfter).toEqual(retried.idsBefore);
    expect(retried.warnings).toEqual([]);
    expect(retried.changes).toEqual({ compared: 4, changed: 0 });
  });

  test("an encoding of before, where it is named", async () => {
    const reading = { encoding: "windows-1252" };
    const retried = await savedAndRetried(asTheyAre, latin, { reading });
    expect(retried.summary.counts.succeeded).toBe(4);
    expect(retried.after.map(({ Name }) => Name)).toEqual(["Zoë", "Bo", "eenek; or = not", "Di"]);
    expect(retried.changes).toEqual({ compared: 4, changed: 1 });
  });

  test("columns in another order, and some dropped: what is missing is said", async () => {
    const kept = ["import_status", "Born", "Zip", "import_row", "Phone", "Name"];
    const kept2 = [...kept, "import_event_id", "import_input", "import_event"];
    const retried = await savedAndRetried(([header = [], ...lines]) =>
      [header, ...lines].map((cells) => kept2.map((name) => cells[header.indexOf(name)] ?? "")),
    );
    expect(retried.idsAfter).toEqual(retried.idsBefore);
    expect(retried.warnings).toEqual([
      "people.failed.csv has lost the columns import_line, import_http_status, import_attempts, import_unanswered, import_error_code, import_error, import_finished_at: what they said is lost.",
    ]);
  });
});

/** Changes the cells of one column. */
const inColumn =
  (name: string, change: (cell: string, at: number) => string) =>
  ([header = [], ...lines]: string[][]): string[][] => [
    header,
    ...lines.map((cells, row) =>
      cells.map((cell, at) => (header[at] === name ? change(cell, row) : cell)),
    ),
  ];

describe("what a program may have bent is reported before anything is sent", () => {
  test.each<[string, (lines: string[][]) => Cells, RegExp]>([
    [
      "zeros",
      inColumn("Zip", (cell, at) => (at === 0 ? "172" : cell)),
      /^column "Zip": 1 cell has fewer digits than the 5 of others such as 00420.* row 1 \(line 2 of people\.failed\.csv\) "172"\.$/,
    ],
    [
      "letters",
      inColumn("Name", (cell, at) => (at === 0 ? "Ã¼" : cell)),
      /^column "Name": 1 cell seems to be UTF-8 that was read as windows-1252.*"ü" in the first/,
    ],
    [
      "some dates",
      inColumn("Born", (cell, at) => (at === 0 ? "1990-04-03" : cell)),
      /^column "Born": 1 cell holds a date in another form than the rest/,
    ],
  ])("%s", async (_what, change, warning) => {
    const retried = await savedAndRetried(change);
    expect(retried.warnings).toEqual([expect.stringMatching(warning)]);
    expect(retried.changes).toEqual({ compared: 4, changed: 1 });
    expect(retried.summary.counts.succeeded).toBe(4);
  });

  test("an import tells of letters too", async () => {
    const service = await startService(() => accepted);
    const bent = [...table, ["MÃ¼ller", "00173", "4917612345678", "01/12/1992"]];
    const people = await openWorkspace(bent, mapping);
    onTestFinished(people.remove);
    await people.import(service.url);
    const warnings = people.notices.filter(({ kind }) => kind === "warning");
    expect(warnings).toMatchObject([
      { finding: { kind: "double_encoding", column: "Name", count: 1 } },
    ]);
  });

  test("an import tells of zeros that the mapping itself drops", async () => {
    const service = await startService(() => accepted);
    const people = await openWorkspace(
      table,
      mapping.replace("zip: Zip", "zip: { column: Zip, type: integer }"),
    );
    onTestFinished(people.remove);
    await people.import(service.url);
    const warnings = people.notices.filter(({ kind }) => kind === "warning");
    expect(warnings).toMatchObject([
      {
        message: expect.stringContaining("00172 becomes 172. If it is a code, map it as text"),
        finding: { kind: "dropped_leading_zeros", column: "Zip" },
      },
    ]);
  });
});

test("of an import it is reported too, before anything is sent", async () => {
  const service = await startService(() => accepted);
  const bent = table.map((cells, at) =>
    at === 2 ? ["Bo", "172", "1.23457E+15", "3/4/90"] : [...cells],
  );
  const people = await openWorkspace(bent, mapping);
  onTestFinished(people.remove);
  const warned: string[] = [];
  const { counts } = await people.import(service.url, {
    onNotice(notice) {
      if (notice.kind !== "warning") return;
      expect(service.receipts).toEqual([]);
      warned.push(notice.finding?.kind ?? notice.message);
    },
  });
  expect(warned.toSorted()).toEqual([
    "lost_leading_zeros",
    "mixed_date_forms",
    "scientific_numbers",
  ]);
  expect(counts.succeeded).toBe(4);
});
