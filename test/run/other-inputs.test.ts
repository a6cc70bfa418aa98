import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { Reading } from "../../src/model/reading.ts";
import { runResume } from "../../src/run/account/resume.ts";
import { startService } from "../delivery/service-under-test.ts";
import { openWorkspace } from "./import-under-test.ts";

const rowCount = 120;
const padding = "é".repeat(400);

/** Several chunks of rows, so that a run which goes on need not begin at the beginning. */
function text(delimiter: string, header: readonly string[] | undefined, above = ""): string {
  const rows = Array.from({ length: rowCount }, (_, at) => [`p${at + 1}`, `${padding}`]);
  const lines = header === undefined ? rows : [header, ...rows];
  return above + lines.map((cells) => `${cells.join(delimiter)}\r\n`).join("");
}

function mapping(id: string, note: string): string {
  const members = [
    `  id: "${id}"`,
    `  note: "${note}"`,
    "  row: { meta: row }",
    "  line: { meta: line }",
  ];
  return ["version: 1", "resource: users", "event: user.created", "members:", ...members, ""].join(
    "\n",
  );
}

const inputs: readonly [string, Reading, Buffer, string, number][] = [
  [
    "UTF-16",
    {},
    Buffer.from(`\ufeff${text("\t", ["id", "note"])}`, "utf16le"),
    mapping("id", "note"),
    2,
  ],
  [
    "windows-1252",
    { encoding: "windows-1252" },
    Buffer.from(text(";", ["id", "note"]), "latin1"),
    mapping("id", "note"),
    2,
  ],
  [
    "titles, semicolons",
    { skipLines: 2 },
    Buffer.from(text(";", ["id", "note"], "\ufeffOf May,\n\n")),
    mapping("id", "note"),
    4,
  ],
  [
    "no header",
    { header: false, quote: "" },
    Buffer.from(text("|", undefined)),
    mapping("1", "2"),
    1,
  ],
];

test.each(inputs)(
  "an interrupted import of another kind of input goes on as it began: %s",
  async (_, reading, bytes, mappingText, firstLine) => {
    const interrupt = new AbortController();
    const service = await startService(({ n }) => {
      if (n === 70) interrupt.abort();
      return n % 50 === 10 ? { status: 422 } : { status: 202 };
    });
    const workspace = await openWorkspace([], mappingText);
    await writeFile(workspace.path("people.csv"), bytes);

    const stopped = await workspace.import(service.url, { reading, signal: interrupt.signal });
    expect(stopped.exitReason).toBe("interrupted");
    const other = { ...reading, quote: "^" };
    await expect(
      workspace.import(service.url, { reading: other, resume: "if-unfinished" }),
    ).rejects.toMatchObject({
      code: "resume_differs",
      message: expect.stringMatching(
        /: quote \(in eventload.yaml\) was (not given|none) and is \^\./,
      ),
    });
    const { clock } = workspace;
    const results = workspace.path("people.results.csv");
    const ended = await runResume({ results, token: "a-token", clock });
    expect(ended).toMatchObject({ exitReason: "complete", rows: rowCount });

    const sent = service.receipts.map(({ body }) => JSON.parse(body));
    expect(sent.toSorted((a, b) => a.row - b.row)).toEqual(
      Array.from({ length: rowCount }, (_, at) => ({
        event: "user.created",
        id: `p${at + 1}`,
        note: padding,
        row: at + 1,
        line: firstLine + at,
      })),
    );
    const lines = await workspace.lines("people.results.csv");
    expect(lines.map((line) => line.import_row)).toEqual(sent.map((_, at) => `${at + 1}`));
    expect(JSON.parse(await workspace.text("people.run.json"))).toMatchObject({
      options: {
        encoding: reading.encoding ?? null,
        header: reading.header ?? true,
        skip_lines: reading.skipLines ?? 0,
      },
    });

    // What failed can be retried, also from a file that a spreadsheet program has saved.
    const failed = await readFile(workspace.path("people.failed.csv"), "utf8");
    const saved = failed.replaceAll(",", ";").replaceAll("\n", "\r\n");
    await writeFile(workspace.path("people.failed.csv"), `\ufeff${saved}`);
    const retried = await workspace.retry(service.url, "people.failed.csv");
    expect(retried).toMatchObject({ exitReason: "complete", counts: { succeeded: rowCount } });
    const again = service.receipts.slice(rowCount).map(({ body }) => JSON.parse(body).note);
    expect(again).toEqual([padding, padding, padding]);
  },
);

test("a row with a NUL stays invalid in a retry until it is fixed", async () => {
  const service = await startService(() => ({ status: 202 }));
  const workspace = await openWorkspace([], mapping("id", "note"));
  await writeFile(workspace.path("people.csv"), "id,note\n1,x\0y\n2,z\n");
  await workspace.import(service.url);
  const again = await workspace.retry(service.url, "people.failed.csv");
  expect(again.counts).toMatchObject({ invalid: 1, succeeded: 1 });
  const [line] = await workspace.lines("people.failed.csv");
  expect(line).toMatchObject({ note: "x\0y", import_row: "1", import_error_code: "nul_character" });
  const text = await workspace.text("people.failed.csv");
  await workspace.write("people.failed.csv", text.replaceAll("\0", ""));
  const fixed = await workspace.retry(service.url, "people.failed.csv");
  expect(fixed.counts).toMatchObject({ succeeded: 2 });
  expect(service.receipts.map(({ body }) => JSON.parse(body).note)).toEqual(["z", "xy"]);
});

test("what is odd is reported once, though the input is read twice", async () => {
  const service = await startService(() => ({ status: 202 }));
  const workspace = await openWorkspace([], mapping("id", "note"));
  await writeFile(workspace.path("people.csv"), "\ufeffid;note;x\n1;Jos\ufffd;\n2;\ufffd;\n");
  await workspace.import(service.url, { reading: { encoding: "windows-1252" } });
  const warnings = workspace.notices.flatMap((one) => (one.kind === "warning" ? one.message : []));
  expect(warnings).toEqual([
    "people.csv begins with the byte order mark of UTF-8, so it is read as that, not as windows-1252.",
    expect.stringContaining("2 cells have characters that no text has"),
  ]);
  expect(workspace.notices).toContainEqual({
    kind: "opened",
    name: "people.csv",
    dialect: { encoding: "UTF-8", delimiter: ";", quote: '"' },
  });
});
