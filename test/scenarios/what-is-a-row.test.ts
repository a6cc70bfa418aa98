import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeXlsx } from "hucre";
import { describe, expect, it } from "vitest";
import { accepted, startService } from "../delivery/service-under-test.ts";
import { xlsxParts, xlsxRow, zipOf } from "../input/given-workbook.ts";
import { readRecord, sandboxUnderTest, temporaryPath } from "../sandbox/sandbox-under-test.ts";
import { scenario } from "./scenario.ts";

/** An export of Excel with what is no row in it, its mapping, and a service that records what it accepts. */
async function members() {
  const recordFile = await temporaryPath("received.jsonl");
  const { url } = await sandboxUnderTest({ recordFile });
  const place = await scenario("what-is-a-row");
  let number = 0;
  return {
    ...place,
    url,
    write: (name: string, content: string | Uint8Array) =>
      writeFileSync(join(place.folder, name), content),
    send: (name: string, ...more: readonly string[]) =>
      place.eventload([
        ...["import", name, "--mapping", "members.yaml", "--base-url", url],
        ...["--results", `${++number}.results.csv`, ...more],
      ]),
    received: async () => (await readRecord(recordFile)).map(({ body }) => body),
  };
}

const structure = [
  "members.csv: 4 lines have no filled cell, first line 3: they are no rows.",
  "members.csv: line 6 repeats the header: it is no row.",
  "members.csv: the DOS end-of-file mark at its end is left out.",
];

const sent = [
  { email: "ann@example.com", plan: "pro", city: "Bern" },
  { email: "bob@example.com", city: "Bonn" },
  { email: "eve@example.com", plan: null, city: "Basel" },
].map((members) => ({ event: "contact.updated", ...members }));

describe("lines that are no rows", () => {
  it("are left out, and check and import say so once, with the same words", async () => {
    const { eventload, send, received, records } = await members();
    const checked = await eventload("check members.csv --json");
    expect(checked.status).toBe(0);
    expect(JSON.parse(checked.stdout)).toMatchObject({ rows: 3, events: 3, blank_lines: 4 });
    expect(JSON.parse(checked.stdout).warnings).toEqual(structure);
    const { status, stderr } = await send("members.csv");
    expect(status).toBe(0);
    for (const sentence of structure) expect(stderr.split(sentence)).toHaveLength(2);
    expect(await received()).toEqual(sent);
    // Rows are numbered without them; the lines stay those of the file.
    const places = (await records("1.results.csv")).map((line) => [
      line.import_row,
      line.import_line,
    ]);
    expect(places).toEqual([
      ["1", "2"],
      ["2", "4"],
      ["3", "7"],
    ]);
    const shown = await eventload("check members.csv --row 3 --json");
    expect(shown.stdout).toContain("eve@example.com");
    const limited = await send("members.csv", "--skip", "1", "--limit", "1");
    expect(limited.stderr).toContain("1 row");
    expect((await received()).at(-1)).toEqual(sent[1]);
  });

  it("are no rows of standard input, of shards and of a run that is resumed, either", async () => {
    const { eventload, send, received, folder, start, records } = await members();
    const stdin = readFileSync(join(folder, "members.csv"));
    const piped = await eventload("check - --mapping members.yaml --json", { stdin });
    expect(JSON.parse(piped.stdout)).toMatchObject({ rows: 3, blank_lines: 4 });
    for (const of of ["1/2", "2/2"]) await send("members.csv", "--shard", of);
    expect((await received()).map(({ email }) => email).toSorted()).toEqual(
      sent.map(({ email }) => email),
    );

    let isKilled = false;
    const service = await startService(({ n }) => (n === 0 || isKilled ? accepted : "silence"));
    const run = start(
      `import members.csv --base-url ${service.url} --results r.results.csv --concurrency 1`,
    );
    await service.received(2);
    run.child.kill("SIGKILL");
    await run.ended;
    isKilled = true;
    const resumed = await eventload("resume r.results.csv --json");
    expect(JSON.parse(resumed.stdout)).toMatchObject({ rows: 3, succeeded: 3 });
    expect((await records("r.results.csv")).map((line) => line.import_line)).toEqual([
      "2",
      "4",
      "7",
    ]);
  });

  it("may stand in failed rows that come back from a spreadsheet program", async () => {
    const { write, send, eventload, read, received, records } = await members();
    write("members.csv", "Email,Plan,City\n,free,Ulm\ncat@example.com,pro,Graz\n");
    expect((await send("members.csv")).status).toBe(1);
    const [header = "", failed = ""] = (await read("1.failed.csv")).split(/\r?\n/);
    const blank = header.replaceAll(/[^,]/g, "");
    const fixed = failed.replace(",free", "dan@example.com,free");
    write("1.failed.csv", [header, blank, fixed, header, blank, blank, ""].join("\r\n"));
    expect((await eventload("retry 1.failed.csv")).status).toBe(0);
    expect((await received()).map(({ email }) => email)).toEqual([
      "cat@example.com",
      "dan@example.com",
    ]);
    expect((await records("1.results.csv")).map((line) => line.import_status)).toEqual(
      Array(2).fill("succeeded"),
    );
  });

  it("total and notes below the rows are said by import too", async () => {
    const { write, send, eventload } = await members();
    const rows = Array.from({ length: 30 }, (_, at) => `p${at}@example.com,pro,Bern`);
    write("members.csv", ["Email,Plan,City", ...rows, "Total: 30,,", ",,", ""].join("\n"));
    const sentence =
      "the last row is unlike the others: if it is a total or a note, delete it, or give --limit 30";
    expect((await eventload("check members.csv")).stderr).toContain(sentence);
    expect((await send("members.csv")).stderr.split(sentence)).toHaveLength(2);
  });
});

describe("a night", () => {
  const exported = (...lines: readonly string[]) => ["Email,Plan,City", ...lines, ""].join("\r\n");

  it("takes no notice of them behind the rows, and none is gone while one stands between", async () => {
    const { write, send, eventload, received, url } = await members();
    const night = (...more: readonly string[]) =>
      send("members.csv", "--state", "s.jsonl", "--max-gone", "100%", "--json", ...more);
    const check = async () => {
      const argv = ["check", "members.csv", "--base-url", url, "--state", "s.jsonl", "--json"];
      return JSON.parse((await eventload([...argv, "--max-gone", "100%"])).stdout);
    };
    const [ann, bob, eve] = ["ann", "bob", "eve"].map((name) => `${name}@example.com,pro,Bern`);
    write("members.csv", exported(ann!, bob!, eve!));
    expect((await night()).status).toBe(0);

    write("members.csv", exported(ann!, ",,", bob!, ",,"));
    const why = "1 line of members.csv without a filled cell stands between rows";
    const checked = await check();
    expect(checked.differences).toMatchObject({ gone: 0, blank_lines_between: 1 });
    expect(checked.warnings.join()).toContain(why);
    const held = await night();
    expect(held.status).toBe(0);
    expect(held.stderr).toContain(`${why}, and may have been of any key, so no key counts as gone`);
    expect(await received()).toHaveLength(3);

    write("members.csv", exported(ann!, bob!, ",,", ",,"));
    expect((await check()).differences).toMatchObject({ gone: 1, blank_lines_between: 0 });
    expect((await night()).status).toBe(0);
    expect((await received()).at(-1)).toEqual({
      event: "contact.deleted",
      email: "eve@example.com",
    });
  });
});

describe("a workbook", () => {
  const people = xlsxRow("Email", "Plan", "City") + xlsxRow("ann@example.com", "pro", "Bern");
  const hidden = xlsxRow("bob@example.com", "pro", "Bonn").replace("<row", '<row hidden="1"');

  it("sends hidden and filtered rows with a warning, or leaves them out, and a resume does, too", async () => {
    const { write, send, received, read, eventload } = await members();
    write("members.xlsx", zipOf(xlsxParts(people + hidden)));
    const all = await send("members.xlsx");
    expect(all.stderr).toContain("1 row is hidden or filtered out in the sheet, first row 3");
    expect(await received()).toHaveLength(2);
    const some = await send("members.xlsx", "--hidden-rows", "skip");
    expect(some.stderr).toContain("first row 3: left out.");
    expect(await received()).toHaveLength(3);
    expect(JSON.parse(await read("2.run.json")).options).toMatchObject({ hidden_rows: "skip" });
    // A night would take the keys of hidden rows for gone.
    const night = await send("members.xlsx", "--hidden-rows", "skip", "--state", "s.jsonl");
    expect(night).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("the keys of hidden rows would count as gone"),
    });
    write("members.yaml", `${await read("members.yaml")}input: { hidden_rows: skip }\n`);
    expect((await eventload("check members.xlsx")).stderr).toContain("1 row gives 1 event");
    expect((await eventload("check members.csv")).stderr).toContain(
      "--hidden-rows: members.csv is no workbook.",
    );
  });

  it("asks for a sheet with how many rows each has, and takes the only one that has any", async () => {
    const { write, eventload } = await members();
    const rows = [["Email", "Plan", "City"], ["ann@example.com"]];
    const sheets = (...more: { name: string; rows: string[][] }[]) =>
      writeXlsx({ sheets: [{ name: "Cover", rows: [] }, { name: "People", rows }, ...more] });
    const onlyHeader = { name: "Template", rows: rows.slice(0, 1) };
    write("members.xlsx", await sheets(onlyHeader));
    expect((await eventload("check members.xlsx")).stderr).toContain("1 row gives 1 event");
    write("members.xlsx", await sheets({ name: "Old", rows }));
    expect((await eventload("check members.xlsx")).stderr).toContain(
      'choose one with --sheet, of 1 "Cover" (0 rows), 2 "People" (1 row), 3 "Old" (1 row).',
    );
  });

  it("whose cells are errors clears what clear_values names, and is invalid otherwise", async () => {
    const { write, send, received, records } = await members();
    const error = (text: string) => `<c t="e"><v>${text}</v></c>`;
    const withError = (text: string) =>
      xlsxRow("eve@example.com", "pro").replace("</row>", `${error(text)}</row>`);
    write("members.xlsx", zipOf(xlsxParts(people + withError("#N/A") + withError("#REF!"))));
    expect((await send("members.xlsx")).status).toBe(1);
    expect((await received()).at(-1)).toEqual({ ...sent[0], email: "eve@example.com", city: null });
    expect((await records("1.failed.csv")).map((line) => line.import_error)).toEqual([
      expect.stringMatching(/^column "City": "#REF!" is an error of the spreadsheet/),
    ]);
  });

  it("whose cells are not where they say is damaged, and nothing is sent", async () => {
    const { write, send, received } = await members();
    const cell = '<row r="3"><c r="A3"><v>1</v></c><c r="A3"><v>2</v></c></row>';
    write("members.xlsx", zipOf(xlsxParts(people + cell)));
    const { status, stderr } = await send("members.xlsx");
    expect(status).toBe(2);
    expect(stderr).toContain('row 3 has a cell that says it is "A3", after A3');
    expect(await received()).toEqual([]);
  });
});

describe("how CSV is written", () => {
  it("rows that lack cells at their end are filled up under short_rows: pad", async () => {
    const { write, send, received, read } = await members();
    write("members.csv", "Email,Plan,City\nann@example.com\nbob@example.com,pro,Bonn,x\n");
    expect((await send("members.csv")).status).toBe(1);
    expect(await received()).toEqual([]);
    write("eventload.yaml", "short_rows: pad\n");
    expect((await send("members.csv")).status).toBe(1);
    expect(await received()).toEqual([{ event: "contact.updated", email: "ann@example.com" }]);
    expect(await read("2.failed.csv")).not.toContain("ann@");
  });

  it("a backslash before quotes is read where the mapping says so, and the message says how", async () => {
    const { write, send, received, read } = await members();
    write("members.csv", '"Email","Plan","City"\n"ann@example.com",\\N,"the \\"hub\\", Bern"\n');
    const refused = await send("members.csv");
    expect(refused.stderr).toContain('write input: { escape: "\\\\" } in the mapping');
    const mapping = (await read("members.yaml")).replace('"#N/A"', '"\\\\N"');
    write("members.yaml", `${mapping}input: { escape: "\\\\" }\n`);
    expect((await send("members.csv")).status).toBe(0);
    const [ann] = sent;
    expect(await received()).toEqual([{ ...ann, plan: null, city: 'the "hub", Bern' }]);
  });
});
