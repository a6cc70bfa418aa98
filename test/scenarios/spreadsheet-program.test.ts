import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startService } from "../delivery/service-under-test.ts";
import { xlsxParts, xlsxRow, zipOf } from "../input/given-workbook.ts";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { type Scenario, scenario } from "./scenario.ts";

/*
 * LibreOffice 7.4 has saved the files of this fixture: `typed.xlsx` and `sorted.*` from the workbook of `export`, with
 * four cells typed over, and then sorted, with columns moved and one deleted; the others from the failed rows as CSV.
 */

async function imported(): Promise<Scenario> {
  const service = await sandboxUnderTest();
  const members = await scenario("spreadsheet-program");
  const { status, stderr } = await members.eventload(
    `import members.csv --base-url ${service.url} --results out/members.results.csv`,
  );
  expect(status).toBe(1);
  expect(stderr).toContain("run: eventload export out/members.failed.csv\n");
  return members;
}

/** What the list is once its four bad cells are fixed. */
async function fixedList(members: Scenario): Promise<Record<string, string>[]> {
  const list = await members.records("members.csv");
  return list.map((row) => ({
    ...row,
    "E-Mail": (row["E-Mail"] ?? "").replace("(at)", "@"),
    Born: row.Born === "31/02/1990" ? "1984-03-02" : (row.Born ?? ""),
  }));
}

const restoring = "--restore-altered";
const lost = 'column "Member No": leading zeros are lost in 4 of 4 rows, such as "000002" -> "2"';

it.each<[file: string, options?: string, refused?: string]>([
  ["typed.xlsx"],
  ["sorted.xlsx"],
  ["sorted.ods"],
  ["opened.csv", restoring, lost],
  ["german.csv", restoring, lost],
  ["macintosh.csv", restoring, lost],
])(
  "what was fixed in a spreadsheet program, and nothing else, is sent: %s",
  async (file, options = "", refused) => {
    const members = await imported();
    const name = `out/members.failed.${file.split(".").at(-1)}`;
    await copyFile(join(members.folder, file), join(members.folder, name));
    if (refused !== undefined) {
      const { status, stderr } = await members.eventload(`retry ${name}`);
      expect(status).toBe(2);
      expect(stderr).toContain(refused);
    }
    const { status, stderr } = await members.eventload(`retry ${name} ${options}`);
    expect(stderr).toContain(
      'Changed cells:\n  column "E-Mail": 3 rows, such as "lukasz(at)example.org" -> "lukasz@example.org" in row 2\n  column "Born": 1 row, such as "31/02/1990" -> "1984-03-02" in row 3\nRetry complete: 4 rows',
    );
    expect(status).toBe(0);
    const results = await members.records("out/members.results.csv");
    const list = await fixedList(members);
    expect(results).toEqual(list.map((row) => expect.objectContaining(row)));
  },
);

it("a workbook of export can be retried as it is, again and again, and the next has another name", async () => {
  const members = await imported();
  for (const name of ["out/members.failed.xlsx", "out/members.failed-2.xlsx"]) {
    const { stderr } = await members.eventload("export out/members.failed.csv");
    expect(stderr).toContain(`then run: eventload retry ${name}\n`);
    const retry = await members.eventload(`retry ${name}`);
    expect(retry.status).toBe(1);
    expect(retry.stderr).not.toContain("Changed cells");
  }
  await members.eventload("export out/members.failed.csv --output fix.xlsx");
  const { stderr } = await members.eventload("export out/members.failed.csv --output fixed.xlsx");
  expect(stderr).toContain(
    "then run: eventload retry fixed.xlsx --results out/members.results.csv\n",
  );
});

it("a retry does not say of a column what a check of all rows does not", async () => {
  // Among foreign codes nothing is lost; among those that the service refuses, all others have zeros.
  const codes = Array.from({ length: 100 }, (_, at) =>
    at < 20 ? "01067" : at < 60 ? "1220" : "10115",
  );
  const service = await startService(({ body }) => {
    return { status: Number(/"id":"(\d+)"/.exec(body)?.[1]) < 30 ? 422 : 202 };
  });
  const members = await scenario("plain");
  const write = (name: string, text: string) => writeFile(join(members.folder, name), text);
  await write("p.csv", `Id,PLZ\n${codes.map((code, at) => `${at},${code}\n`).join("")}`);
  await write("p.yaml", "version: 1\nresource: users\nevent: e\nmembers: { id: Id, zip: PLZ }\n");
  const said = [
    await members.eventload(`import p.csv --base-url ${service.url}`),
    await members.eventload("retry p.failed.csv"),
  ];
  expect(said.map(({ status }) => status)).toEqual([1, 1]);
  for (const { stderr } of said) expect(stderr).not.toContain("leading zeros");
});

it("export marks the column of the member that a service names, as the report does", async () => {
  const { url } = await sandboxUnderTest({ rejectRate: 1, seed: 3 });
  const members = await scenario("spreadsheet-program");
  const mapping = await members.read("members.yaml");
  const others = mapping.replaceAll(/^ {2}(\w+): /gm, "  their_$1_: ");
  await writeFile(join(members.folder, "members.yaml"), others);
  await members.eventload(`import members.csv --base-url ${url} --results out/m.results.csv`);
  const { lines } = JSON.parse((await members.eventload("export out/m.failed.csv --json")).stdout);
  expect(lines).toBeGreaterThan(4);
  const again = await members.eventload("export out/m.failed.csv --json");
  expect(JSON.parse(again.stdout)).toMatchObject({ lines, marked: lines });
});

it("a row that no workbook can hold is refused, and is fixed as CSV", async () => {
  const { url } = await sandboxUnderTest();
  const members = await scenario("spreadsheet-program");
  const list = (await members.read("members.csv")).replace("=SUM(A1)", "x".repeat(40_000));
  await writeFile(join(members.folder, "members.csv"), list);
  await members.eventload(`import members.csv --base-url ${url} --results out/m.results.csv`);
  const { status, stderr } = await members.eventload("export out/m.failed.csv");
  expect(status).toBe(2);
  expect(stderr).toContain(
    'line 2 has 40,000 characters in column "Note", and a cell of a workbook holds 32,767: fix it as CSV. No workbook was written.\n',
  );
});

it("an error cell is compared with the account, and named", async () => {
  const members = await imported();
  const lines = await members.records("out/members.failed.csv");
  const names = Object.keys(lines[0] ?? {});
  const write = async (column: string) => {
    const cells = (line: Record<string, string>) =>
      names.map((name) => {
        const text = line[name]?.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
        const isError = name === column && line === lines[0];
        return isError ? '<c t="e"><v>#N/A</v></c>' : `<c t="str"><v>${text}</v></c>`;
      });
    const rows = lines.map((line) => `<row>${cells(line).join("")}</row>`);
    const bytes = zipOf(xlsxParts(xlsxRow(...names) + rows.join("")));
    await writeFile(join(members.folder, "out/members.failed.xlsx"), bytes);
  };
  await write("Zip");
  const altered = await members.eventload("retry out/members.failed.xlsx");
  expect(altered.status).toBe(2);
  expect(altered.stderr).toContain('column "Zip": texts have become errors in 1 of 4 rows');
  const mapping = await members.read("members.yaml");
  await writeFile(join(members.folder, "members.yaml"), `${mapping}clear_values: ["#N/A"]\n`);
  const cleared = await members.eventload("retry out/members.failed.xlsx -m members.yaml");
  expect(cleared.status).toBe(1);
  expect(cleared.stderr).toContain('column "Zip": 1 row, such as "04109" -> "#N/A" in row 2');
  await write("import_row");
  const lost = await members.eventload("retry out/members.failed.xlsx");
  expect(lost.stderr).toContain('line 2, column import_row: "#N/A" was changed');
});

it("no letters of the account tell an encoding: the file is refused with what to do", async () => {
  const members = await imported();
  const failed = join(members.folder, "out/members.failed.csv");
  const ascii = (await members.read("out/members.failed.csv")).replaceAll(/\P{ASCII}/gu, "x");
  await writeFile(
    failed,
    Buffer.from(
      ascii.replace("juergen", "j\xfcrgen").replace("-\n", "\xfc\n").replace("two", "zw\xf6lf"),
      "latin1",
    ),
  );
  const { status, stderr } = await members.eventload("retry out/members.failed.csv");
  expect(status).toBe(2);
  expect(stderr).toContain("give --encoding with the one in which its cells read right");
});
