import { copyFile, cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { type CommandLine, eventload, wordsOf } from "./fake-host.ts";

const fixture = fileURLToPath(new URL("../../fixtures/several-files", import.meta.url));

describe("what cannot be one run", () => {
  const check = async (files: CommandLine, prepare?: (folder: string) => Promise<void>) => {
    const folder = await temporaryFolder();
    await cp(fixture, folder, { recursive: true });
    await prepare?.(folder);
    const paths = wordsOf(files).map((word) => (word.endsWith(".csv") ? join(folder, word) : word));
    return eventload(["check", ...paths, "--mapping", join(folder, "people.yaml")]);
  };

  it("files with other columns: each is reported with its differences", async () => {
    const { status, stderr } = await check("north.csv west.csv east.csv");
    expect(status).toBe(2);
    expect(stderr).toContain("west.csv has other columns than north.csv: give all files the same");
    expect(stderr).toContain(
      '  west.csv: it has no "Email", "Note"; it has "Email ", "Phone", which north.csv lacks\n',
    );
  });

  it.each([
    [["north.csv", "north.csv"], "north.csv are the same file: give it once."],
    [["north.csv", "link.csv"], /link\.csv and .*north\.csv are the same file/],
    [["north.csv", "-"], "- is standard input, which is read alone"],
    [["north.csv", "nowhere.csv"], /There is no file .*nowhere\.csv\./],
    [["north.csv", "/dev/null"], "/dev/null can be read only once; give it alone"],
    [["north.csv", " "], "input is blank"],
    [
      ["north.csv", "own.csv"],
      'own.csv has a column "import_source", which is the name of a column',
    ],
  ])("%j", async (args, sentence) => {
    const { status, stderr } = await check(args, async (folder) => {
      await symlink(join(folder, "north.csv"), join(folder, "link.csv"));
      await writeFile(join(folder, "own.csv"), "Email,Age,import_source\n");
    });
    expect(stderr).toMatch(sentence);
    expect(status).toBe(2);
  });

  it("copies are read, with a warning; files of one name are told apart by their folders", async () => {
    const { status, stdout, stderr } = await check("north.csv old/north.csv", async (folder) => {
      await mkdir(join(folder, "old"));
      await copyFile(join(folder, "north.csv"), join(folder, "old/north.csv"));
    });
    expect(status).toBe(1);
    expect(stderr).toContain("old/north.csv holds the same as ");
    expect(stdout).toMatch(
      /^2 × column "Age": .*\n {4}in rows \d \(line 4 of .*\), 5 \(line 4 of old\/north.csv\)\n/,
    );
  });

  it("a file in a dialect of its own is read by it, and that is reported", async () => {
    const files = ["north.csv", "packed.csv", "semicolons.csv", "east.csv"];
    const { status, stdout, stderr } = await check([...files, "--json"], async (folder) => {
      const packed = gzipSync("Email,Age,Note\na@example.com,1,\nb@example.com,old,\n");
      await writeFile(join(folder, "packed.csv"), packed);
      const semicolons = Buffer.from("\ufeffEmail;Age;Note\nc@example.com;2;\n", "utf16le");
      await writeFile(join(folder, "semicolons.csv"), semicolons);
    });
    expect(status).toBe(1);
    expect(stderr).toContain("packed.csv read as: gzip, UTF-8, delimiter ,\n");
    expect(stderr).toContain("semicolons.csv read as: UTF-16LE, delimiter ;\n");
    const plain = { encoding: "UTF-8", delimiter: ",", quote: '"' };
    expect(JSON.parse(stdout)).toMatchObject({
      rows: 7,
      blank_lines: 1,
      read_as: [
        { name: "north.csv", dialect: plain },
        { name: "packed.csv", dialect: { ...plain, compression: "gzip" } },
        { name: "semicolons.csv", dialect: { encoding: "UTF-16LE", delimiter: ";" } },
        { name: "east.csv", dialect: plain },
      ],
      problems: [
        { row: 2, line: 4, source: "north.csv" },
        { row: 5, line: 3, source: "packed.csv", value: "old" },
      ],
    });
  });
});
