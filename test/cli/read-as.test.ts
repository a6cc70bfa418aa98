import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { situation } from "./situation.ts";

test("how an input is read is reported where it is not as usual", async () => {
  const { check, import: importPeople, read, path } = await situation();
  expect((await check()).stderr).not.toContain("Read as");

  const commas = await read("people.csv");
  await writeFile(path("people.csv"), `\ufeff${commas.replaceAll(",", "\t")}`, "utf16le");
  const checked = await check();
  expect(checked.stderr).toContain("Read as: UTF-16LE, delimiter tab\n");
  expect((await check(["--quiet"])).stderr).toBe("");
  expect(JSON.parse((await check(["--json"])).stdout)).toMatchObject({
    read_as: { encoding: "UTF-16LE", delimiter: "\t", quote: '"' },
  });
  const env = { EVENTLOAD_TOKEN: "a-token" };
  const imported = await importPeople([], { env });
  expect(imported.stderr).toContain("people.csv is read as: UTF-16LE, delimiter tab\n");
});

test("what settings say of inputs does not keep results from being read", async () => {
  const { check, write, path, run } = await situation();
  await write("eventload.yaml", "delimiter: semicolon\nskip_lines: 1\n");
  await write("people.csv", "People of May\nEmail;First Name;Code\nann@example.com;Ann;1\n");
  const checked = await check();
  expect(checked.stderr).toContain("Read as: UTF-8, delimiter ;");
  await write(
    "failed.csv",
    "Email,First Name,Code,import_row,import_event,import_status\nann@example.com,Ann,1,1,1,failed\n",
  );
  const args = ["--mapping", path("people.yaml"), "--base-url", "http://127.0.0.1:9"];
  const env = { EVENTLOAD_TOKEN: "a-token" };
  const { stderr } = await run(["import", path("failed.csv"), ...args], { env });
  expect(stderr).toContain("No answer from http://127.0.0.1:9");
});
