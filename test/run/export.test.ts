import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventload } from "../cli/fake-host.ts";
import { resultsText } from "../input/given-results.ts";
import { readCsv, temporaryFolder } from "../temporary-folder.ts";

const text = resultsText(
  ["name", "=code"],
  [{ cells: ["=1+1", "00172"] }, { cells: ['Ann "A"', "pro"], told: { import_error: "-no" } }],
);

async function given(results = text) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "people.results.csv"), results);
  return {
    folder,
    path: (name: string) => join(folder, name),
    run: (...args: string[]) =>
      eventload([args[0] ?? "", join(folder, args[1] ?? ""), ...args.slice(2)], { cwd: folder }),
  };
}

describe("eventload export", () => {
  it("writes a copy with the same lines, in which no cell is a formula", async () => {
    const { path, run } = await given();
    const { status, stdout, stderr } = await run(...["export", "people.results.csv", "--json"]);
    expect(status).toBe(0);
    const output = path("people.results.excel.csv");
    expect(JSON.parse(stdout)).toEqual({ output, lines: 2, defused_cells: 3 });
    expect(stderr).toBe(
      `${output}: 2 lines, 3 cells with an apostrophe added in front. Only look at this copy: to retry, give people.results.csv.\n`,
    );

    const bytes = await readFile(output);
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    const [header = [], ...lines] = await readCsv(output);
    expect(header.slice(0, 6)).toEqual([
      ...["name", "'=code", "import_row", "import_line", "import_event"],
      "import_status (copy of people.results.csv)",
    ]);
    const [original = [], ...originals] = await readCsv(path("people.results.csv"));
    expect(header).toHaveLength(original.length);
    expect(lines.map(([name, code]) => [name, code])).toEqual([
      ["'=1+1", "'00172"],
      ['Ann "A"', "pro"],
    ]);
    const errorAt = original.indexOf("import_error");
    expect(lines.map((line) => line[errorAt])).toEqual(["no such plan", "'-no"]);
    const untouched = ["import_row", "import_event_id", "import_input", "import_finished_at"];
    for (const column of untouched) {
      const at = original.indexOf(column);
      expect(lines.map((line) => line[at])).toEqual(originals.map((line) => line[at]));
    }
  });

  it.each(["retry", "import", "check", "export"])(
    "%s refuses it and names the file to use",
    async (command) => {
      const { path, run } = await given();
      await run("export", "people.results.csv", "--output", path("looked-at.csv"));
      await writeFile(
        path("m.yaml"),
        "version: 1\nresource: users\nevent: e\nmembers: { n: name }\n",
      );
      const options =
        command === "export"
          ? []
          : [
              ...["--mapping", path("m.yaml")],
              ...(command === "check" ? [] : ["--base-url", "http://127.0.0.1:9"]),
            ];
      const { status, stderr } = await run(command, "looked-at.csv", ...options);
      expect(status).toBe(2);
      expect(stderr).toBe(
        "eventload: looked-at.csv is a copy for a spreadsheet program, with apostrophes before some cells: use the original, people.results.csv.\n",
      );
    },
  );

  it("never overwrites", async () => {
    const { path, folder, run } = await given();
    await writeFile(path("people.results.excel.csv"), "mine");
    const { status, stderr } = await run("export", "people.results.csv");
    expect(status).toBe(2);
    expect(stderr).toContain(
      "people.results.excel.csv exists already, and nothing is overwritten: move it away, or name another with --output.",
    );
    expect(await readFile(path("people.results.excel.csv"), "utf8")).toBe("mine");
    expect(await readdir(folder)).toEqual(["people.results.csv", "people.results.excel.csv"]);
  });

  it.each([
    [
      "a torn line",
      `${text}x,y\n`,
      "line 4 has 2 cells where the header has 15; fix it first. No copy was written.",
    ],
    ["an open quote", `${text}"x`, "No copy was written."],
    [
      "no results",
      "name\nAnn\n",
      "people.results.csv: it has no column import_status, so it is not a results file. No copy was written.",
    ],
  ])("leaves nothing behind where the file has %s", async (_what, results, why) => {
    const { folder, run } = await given(results);
    const { status, stderr } = await run("export", "people.results.csv");
    expect(status).toBe(2);
    expect(stderr).toContain(why);
    expect(await readdir(folder)).toEqual(["people.results.csv"]);
  });

  it("does not take standard input, which has no name to go by", async () => {
    expect((await eventload("export -")).status).toBe(2);
  });
});
