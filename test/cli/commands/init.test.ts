import { readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../temporary-folder.ts";
import { eventload } from "../fake-host.ts";

const people =
  "Name,Email,Joined\nAnn,ann@example.com,03/04/2024\nBen,ben@example.org,05/06/2023\n";

async function given(content = people) {
  const cwd = await temporaryFolder();
  const input = join(cwd, "people.csv");
  const output = join(cwd, "people.yaml");
  await writeFile(input, content);
  return { cwd, input, output, proposed: () => readFile(output, "utf8") };
}

it("writes the mapping beside the input, and says what to do next", async () => {
  const { cwd, input, output, proposed } = await given();
  const { status, stdout, stderr } = await eventload(`init ${input}`, { cwd });
  expect([status, stdout]).toEqual([0, ""]);
  expect(stderr).toContain(`eventload check ${input}\n`);
  expect(stderr).toContain('Check the order of day and month in "Joined".');
  const text = await proposed();
  expect(text).toContain("a guess, check it");
  expect(text).toContain("# this could also be dd/MM/yyyy: check which");
  const schema =
    /^# yaml-language-server: \$schema=(.+)$/m.exec(text.split("\n")[0] ?? "")?.[1] ?? "";
  const found = await readFile(resolve(dirname(output), schema), "utf8");
  expect(JSON.parse(found)).toHaveProperty("$schema");
  const checked = await eventload(`check ${input} --mapping ${output}`, { cwd });
  expect([checked.status, checked.stdout]).toEqual([0, ""]);
});

it("says how many cells do not fit", async () => {
  const rows = Array.from({ length: 40 }, (_, at) => `p${at},${at === 20 ? "unknown" : at}`);
  const { cwd, input } = await given(["Name,Visits", ...rows, ""].join("\n"));
  const { stderr } = await eventload(`init ${input}`, { cwd });
  expect(stderr).toContain(
    'Cells that do not fit the type of their column, so their rows are invalid: 1 in "Visits".',
  );
});

it.each([
  ["without a row", "Name,Email\n", "people.csv has no rows to propose a mapping from"],
  ["whose rows are short", "Name,Email\nAnn\nBo\n", "no row fits the header"],
])("an input %s gives no mapping", async (_, content, why) => {
  const { cwd, input, proposed } = await given(content);
  const { status, stderr } = await eventload(`init ${input} --skip-lines 0`, { cwd });
  expect([status, stderr]).toEqual([2, expect.stringContaining(why)]);
  await expect(proposed()).rejects.toThrow("ENOENT");
});

it("rows that cannot be read are not used, and it says so", async () => {
  const { cwd, input, proposed } = await given(`${people}Cy\n`);
  const { stderr } = await eventload(`init ${input}`, { cwd });
  const unread =
    "1 of 3 rows cannot be read, and are not used for the proposal. The first is on line 4";
  expect(stderr).toContain(unread);
  expect(await proposed()).toContain("1 more could not be read: eventload check says why.");
});

it("never overwrites", async () => {
  const { cwd, input, output, proposed } = await given();
  await writeFile(output, "mine");
  const refused = await eventload(`init ${input}`, { cwd });
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain(
    "exists already, and nothing is overwritten: move it away, or name another with --output",
  );
  expect(await proposed()).toBe("mine");
  const other = await eventload(`init ${input} --output other.yaml`, { cwd });
  expect(other.status).toBe(0);
  expect(await readFile(join(cwd, "other.yaml"), "utf8")).toContain("column: Email");
});

it("writes a name of YAML only", async () => {
  const { cwd, input } = await given();
  const { status, stderr } = await eventload(`init ${input} -o people.mjs`, { cwd });
  expect([status, stderr]).toEqual([
    2,
    "eventload: --output: people.mjs is not a .yaml file, which init writes.\n",
  ]);
});

it("asks for the rows again after standard input", async () => {
  const { cwd } = await given();
  const { stderr } = await eventload("init - --skip-lines 0", { cwd, stdin: people });
  expect(stderr).toMatch(/pipe the rows again into: eventload check - --mapping stdin\.yaml\n$/);
});

it("shows no sample value when asked not to", async () => {
  const { cwd, input } = await given();
  const argv = ["init", input, "--output", "-", "--mask-samples"];
  const { stdout } = await eventload(argv, { cwd });
  expect(stdout).toContain('"xxx@xxxxxxx.xxx"');
  expect(stdout).toContain('"99/99/9999"');
  expect(stdout).not.toMatch(/ann|ben|2024/i);
});

it("takes what options say, and says of nothing else that it is sure", async () => {
  const { cwd } = await given();
  const argv = ["init", "-", "--output", "-", "--resource", "users", "--event", "user.moved"];
  const { stdout } = await eventload(argv, { cwd, stdin: people });
  expect(stdout).toContain("resource: users\nevent: user.moved\n");
  expect(stdout).not.toContain("a guess, check it");
  expect(stdout).toContain("all 2 rows of stdin");
});

it("keeps how the input is read, so that check need not be told", async () => {
  const { cwd, input, proposed } = await given(`CRM report\n\n${people.replaceAll(",", "|")}`);
  const argv = ["init", input, "--skip-lines", "2", "--delimiter", "pipe"];
  expect((await eventload(argv, { cwd })).status).toBe(0);
  expect(await proposed()).toContain('input: { delimiter: "|", skip_lines: 2 }\n');
  expect((await eventload(`check ${input}`, { cwd })).status).toBe(0);
  expect((await eventload(`check ${input} --row 1`, { cwd })).status).toBe(0);
  const typed = await eventload(`check ${input} --skip-lines 0`, { cwd });
  expect(typed.status).toBe(2);
});
