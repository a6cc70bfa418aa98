import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { scenario } from "./scenario.ts";

const how = ["--encoding", "windows-1252", "--skip-lines", "3"];

const send = (url: string) => [
  ...["import", "export.csv", "--base-url", url, "--results", "out.results.csv"],
];

/** Lines of a title above the header, and a total below the rows. */
async function proposed() {
  const place = await scenario("title-lines");
  const { status, stderr } = await place.eventload(["init", "export.csv", ...how]);
  expect([status, stderr]).toEqual([0, expect.stringContaining("eventload check export.csv\n")]);
  return place;
}

describe("a file with a title", () => {
  it("is refused with what to give, by init and check alike", async () => {
    const place = await scenario("title-lines");
    await writeFile(join(place.folder, "eventload.yaml"), "");
    for (const command of [["init"], ["check", "--mapping", "any.yaml"]]) {
      await writeFile(
        join(place.folder, "any.yaml"),
        "version: 1\nresource: users\nevent: x\nmembers: { a: Nr }\n",
      );
      const argv = [...command, "export.csv", "--encoding", "windows-1252"];
      const { status, stderr } = await place.eventload(argv);
      expect(status).toBe(2);
      expect(stderr).toContain("line 4 seems to");
      expect(stderr).toContain("give --skip-lines 3, or --skip-lines 0");
    }
  });

  it("is read as its mapping says, by check, import and retry", async () => {
    const place = await proposed();
    const mapping = await readFile(join(place.folder, "export.yaml"), "utf8");
    expect(mapping).toContain('input: { encoding: windows-1252, delimiter: ";", skip_lines: 3 }');
    const text = mapping.replace(/(mail: \{[^}]*?)( \})/, "$1, required: true$2");
    await writeFile(join(place.folder, "export.yaml"), text);

    const checked = await place.eventload("check export.csv");
    expect(checked.stderr).toContain("Read as: windows-1252, delimiter ;");
    expect(checked.stderr).toMatch(/the last row is unlike the others.*line 8\) "Summe"/);
    expect(checked.stderr).toContain('1 row has a quote (") within a cell');

    const service = await sandboxUnderTest();
    const sent = await place.eventload([...send(service.url), "--limit", "3"]);
    expect(sent.stderr).toContain("3 rows");
    expect((await place.records("out.results.csv"))[0]).toMatchObject({
      Name: "Zoë Ash",
      Ort: "Köln",
    });
    const manifest = JSON.parse(await place.read("out.run.json"));
    expect(manifest.options).toMatchObject({ encoding: "windows-1252", skip_lines: 3 });

    expect(await place.eventload("retry out.results.csv")).toMatchObject({ status: 0 });
  });

  it("is read otherwise if an option says so", async () => {
    const place = await proposed();
    const typed = await place.eventload("check export.csv --skip-lines 0");
    expect(typed.status).toBe(2);
  });
});
