import { execFileSync } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type MappingInvalidError, readMapping } from "../../src/run/prepare/read-mapping.ts";
import { head } from "../mapping/given-mapping.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const withoutInput = async () => undefined;
const mebibyte = 1024 * 1024;
const bound = async (path: string) =>
  (await readMapping(path, withoutInput)).bind(["A"], { name: "", id: "" });

test("a mapping file of a mebibyte is read, and one byte more is refused", async () => {
  const path = join(await temporaryFolder(), "people.yaml");
  const start = `${head}members: {}\n#`;
  const text = start + "-".repeat(mebibyte - start.length);
  await writeFile(path, text);
  expect((await bound(path)).mapping.bytes).toBe(mebibyte);
  await writeFile(path, `${text}-`);
  await expect(readMapping(path, withoutInput)).rejects.toThrow(
    "cannot be read: it is larger than 1 MiB; put long lists of values into a CSV file (lookup)",
  );
});

test("a module may be larger", async () => {
  const path = join(await temporaryFolder(), "people.mjs");
  await writeFile(path, `export default () => null; //${"-".repeat(mebibyte)}`);
  expect((await bound(path)).mapping.bytes).toBeGreaterThan(mebibyte);
});

test("of thousands of problems the first 200 are shown, and the others are counted", async () => {
  const path = join(await temporaryFolder(), "people.yaml");
  const members = Array.from({ length: 1200 }, (_, at) => `  m${at}: C${at}\n`).join("");
  await writeFile(path, `${head}members:\n${members}`);
  const error = (await bound(path).catch((thrown) => thrown)) as MappingInvalidError;
  expect(error.message).toContain("1200 problems");
  expect(error.problems).toHaveLength(200);
  expect(error.details.at(-1)).toBe("and 1,000 more");
});

test("a row that is longer than usual gives no event that JSON makes larger than 8 MiB", async () => {
  const path = join(await temporaryFolder(), "people.yaml");
  await writeFile(path, `${head}members: { a: A }\n`);
  const { mapRow } = await bound(path);
  const rowOf = (cell: string) => ({ row: 1, line: 2, cells: [cell] });
  expect(mapRow(rowOf("x".repeat(2 * mebibyte))).kind).toBe("events");
  expect(mapRow(rowOf("\u0001".repeat(2 * mebibyte)))).toMatchObject({
    kind: "invalid",
    problems: [{ code: "event_too_large" }],
  });
});

test("what is no file, or in another folder, is not looked things up in", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "people.yaml");
  execFileSync("mkfifo", [join(folder, "silent.csv")]);
  await symlink("/etc/passwd", join(folder, "passwd.csv"));
  const member = (file: string) => `{ column: A, lookup: { file: ${file}, key: K, value: V } }`;
  await writeFile(
    path,
    `version: 1\nresource: users\nevent: e\nmembers:\n  a: ${member("silent.csv")}\n  b: ${member("/dev/zero")}\n  c: ${member("../silnet.csv")}\n  d: ${member("slient.csv")}\n  e: ${member("passwd.csv")}\n`,
  );
  const elsewhere = "is outside the folder of the mapping: put it there";
  await expect(bound(path)).rejects.toMatchObject({
    details: [
      expect.stringContaining("is not a file but a folder, a pipe or a device: name a CSV file"),
      expect.stringContaining(elsewhere),
      expect.stringContaining(elsewhere),
      expect.stringContaining("cannot be read: "),
      expect.stringContaining(elsewhere),
    ],
  });
});

test.each([
  ["K,V\nx,caf\xe9\n", "cannot be read: line 2 is not UTF-8 (byte 0xe9 at offset 9)"],
  ["K;V,W\nx;1,2\n", 'l.csv: its header holds "," and ";", and either may separate cells'],
  [
    'K,V\nx,"1\ny,2\n',
    'cannot be read: line 2, column 3: cell 2 of the row that starts on line 2 is opened by a quote (") that is never closed: close it, or put the cell in quotes and double the quotes (") that are part of its text',
  ],
])("no option is advised for a file of lookups: %j", async (text, message) => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "l.csv"), text, "latin1");
  const path = join(folder, "people.yaml");
  await writeFile(
    path,
    `${head}members: { a: { column: A, lookup: { file: l.csv, key: K, value: V } } }\n`,
  );
  const why = `${message}: save it as CSV in UTF-8, with commas between its cells`;
  await expect(bound(path)).rejects.toMatchObject({ details: [expect.stringContaining(why)] });
});

test("a file of lookups may have columns without a name beside the two that count", async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "l.csv"), "K,,V,,\nnetherlands,x,nl,code,Zone\nbelgium,y,1,2,3\n");
  const path = join(folder, "people.yaml");
  const member = "{ column: A, lookup: { file: l.csv, key: K, value: V } }";
  await writeFile(path, `${head}members: { a: ${member} }\n`);
  expect((await bound(path)).columnsRead).toEqual(["A"]);
});
