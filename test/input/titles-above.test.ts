import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSource } from "../../src/input/open-source.ts";
import { CannotStartError } from "../../src/model/errors.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { readAll } from "./given-bytes.ts";

/** The number of lines that a refusal says to skip. */
async function linesToSkip(text: string): Promise<number | undefined> {
  const path = join(await temporaryFolder(), "people.csv");
  await writeFile(path, text);
  try {
    await readAll({ kind: "file", path, name: "people.csv" }, (spec) => openSource(spec, {}));
    return undefined;
  } catch (error) {
    if (!(error instanceof CannotStartError)) throw error;
    return Number(/give --skip-lines (\d+)/.exec(error.message)?.[1]);
  }
}

const tables = {
  people: [
    ["Customer No", "First Name", "Email", "Signup"],
    ["1001", "Ann", "ann@example.com", "2024-01-02"],
    ["1002", "Bob", "bob@example.com", "2024-01-03"],
    ["1003", "Cyd", "cyd@example.com", "2024-01-04"],
  ],
  "nothing but words": [
    ["Vorname", "Nachname", "Ort"],
    ["Anna", "Meier", "Bern"],
    ["Urs", "Keller", "Chur"],
    ["Eva", "Huber", "Zug"],
  ],
  "two columns": [
    ["email", "name"],
    ["ann@example.com", "Ann"],
    ["bob@example.com", "Bob"],
    ["cyd@example.com", "Cyd"],
  ],
};

test.each([
  ["a title", ["Customer report"]],
  ["a title, a date and an empty line", ["Customer report", "Generated 2024-05-01", ""]],
  [
    "eight lines",
    ["ACME Ltd", "1 Main St", "Town", "", "Customer report", "01/05/2024", "Page 1", ""],
  ],
  ["comments with commas", ["# exported by a tool", "# 2024-05-01, 10:00"]],
  ["comments of a language", ["// exported by a tool", "// 2024-05-01, x, y"]],
  ["a title in quotes", ['"Customer report, May 2024"']],
])("the header below %s is found, whatever separates cells", async (_, above) => {
  for (const rows of Object.values(tables)) {
    for (const delimiter of [",", ";", "\t", "|"]) {
      const lines = [...above, ...rows.map((cells) => cells.join(delimiter))];
      expect(await linesToSkip(`${lines.join("\n")}\n`), lines.join("\n")).toBe(above.length);
    }
  }
});

test.each([
  ["a title with commas", ["Customers, all of them, as of May 1, 2024"]],
  ["two titles with a comma each", ["Sales, North", "Generated on May 1, 2024 at 10:00"]],
])("the header below %s is found above rows without commas", async (_, above) => {
  for (const rows of Object.values(tables)) {
    for (const delimiter of [";", "\t", "|"]) {
      const lines = [...above, ...rows.map((cells) => cells.join(delimiter))];
      expect(await linesToSkip(`${lines.join("\n")}\n`), lines.join("\n")).toBe(above.length);
    }
  }
});

test.each(["# exported by a tool\n# x", "// exported, by a tool\n// x"])(
  "the header of one column is found below comments: %j",
  async (comments) => {
    expect(await linesToSkip(`${comments}\nname\nAnn\nBob\n`)).toBe(2);
  },
);

test("totals and notes below a short table do not hide its header", async () => {
  for (const delimiter of [",", ";", "\t", "|"]) {
    const above = ["Customer report", ""].map((cell) => `${cell}${delimiter}`);
    const rows = tables["two columns"].map((cells) => cells.join(delimiter));
    const lines = [...above, ...rows, `Total${delimiter}`, "Exported by a tool"];
    expect(await linesToSkip(`${lines.join("\n")}\n`), lines.join("\n")).toBe(2);
  }
});

test("lines of a name and a value are no header above longer rows", async () => {
  for (const rows of [tables.people, tables["nothing but words"]]) {
    for (const delimiter of [",", ";", "\t", "|"]) {
      const above = [
        ["Report", "Customers"],
        ["Date", "2024-05-01"],
        ["User", "jsmith"],
      ];
      const lines = [...above, ...rows].map((cells) => cells.join(delimiter));
      expect(await linesToSkip(`${lines.join("\n")}\n`), lines.join("\n")).toBe(3);
    }
  }
});

test.each([
  ["prose in one column", "comment\ngood\nfine\nnice, thanks\nyes, please\nwell, no\n"],
  ["a few lists in one column", "tags\na\nb;c\nd\ne;f;g\nh\n"],
  ["fractions with commas", "a;b;c\n1,5;2,5;x\n3,5;4,5;y\n5,5;6,5;z\n"],
  ["a comma in the header only", "name;town, country\nAnn;Rome\nBob;Bonn\nCyd;Bern\n"],
  ["a header that begins with #", "#id,name,email\n1,Ann,a@example.com\n2,Bob,b@example.com\n"],
  ["paths and blank cells", "// path;name\n;Ann\n;Bob\n/x;Cyd\n"],
  ["numbers of orders", "#,total\n#1001,5\n#1002,6\n#1003,7\n"],
  ["rows that are short", "name,street,town\nAnn,x\nBob,y\nCyd,z,Rome\n"],
])("%s: the first line is the header", async (_, text) => {
  expect(await linesToSkip(text)).toBeUndefined();
});
