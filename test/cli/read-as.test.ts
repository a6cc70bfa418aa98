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
  expect((await check("--quiet")).stderr).toBe("");
  expect(JSON.parse((await check("--json")).stdout)).toMatchObject({
    read_as: { encoding: "UTF-16LE", delimiter: "\t", quote: '"' },
  });
  const env = { EVENTLOAD_TOKEN: "a-token" };
  const imported = await importPeople([], { env });
  expect(imported.stderr).toContain("people.csv is read as: UTF-16LE, delimiter tab\n");
});
