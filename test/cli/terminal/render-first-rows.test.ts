import { describe, expect, it } from "vitest";
import { renderFirstRows } from "../../../src/cli/terminal/render-first-rows.ts";
import type { EventExplanation } from "../../../src/model/event.ts";
import { situation } from "../situation.ts";

const mapping =
  "version: 1\nevents:\n" +
  "  - resource: contacts\n    event: { column: Kind, map: { A: made, U: changed } }\n" +
  "    members:\n" +
  "      email: { column: Email, transform: [trim, lowercase], required: true }\n" +
  "      profile.age: { column: Age, type: integer }\n" +
  "      profile.name: { template: '{First} {Last}' }\n" +
  '      tags: { column: Tags, type: list, separator: ";" }\n' +
  "      note: { column: Note, empty: 'null' }\n" +
  "      id: { meta: event_id }\n      row: { meta: row }\n" +
  "  - resource: users\n    when: { column: Kind, in: [A] }\n    event: user.made\n" +
  "    members: { email: Email, source: { value: crm } }\n";

async function people(lines: readonly string[]) {
  const here = await situation();
  await here.write("people.yaml", mapping);
  const header = "Kind,Email,Age,First,Last,Tags,Note,Fax,Left\u001b";
  await here.write("people.csv", [header, ...lines, ""].join("\n"));
  return here;
}

const rows = [
  "A, Ada@Example.com,36,Ada,Lovelace,a;b,,,",
  "U,bob@example.com,old,Bob,,,x,,",
  "short",
  "A,,5,,,,,,",
  "U,eve@example.com,,,,,,,",
];

/** From the title of the table to the summary. */
function table(stderr: string): string[] {
  const lines = stderr.split("\n");
  return lines.slice(lines.findIndex((line) => line.startsWith("First"))).slice(0, -2);
}

describe("the first rows of a check", () => {
  it("are shown as columns, members and values, for each event of the mapping", async () => {
    const { check } = await people(rows);
    const { stderr } = await check();
    expect(table(stderr)).toEqual([
      "First 3 rows of event 1:",
      "  column       member        row 1              row 2                   row 4",
      '  Kind         event         "made"             "changed"               "made"',
      '  Email        email         "ada@example.com"  "bob@example.com"       invalid: is blank, an…',
      '  Age          profile.age   36                 invalid: "old" is not…  5',
      '  First, Last  profile.name  "Ada Lovelace"     "Bob "                  –',
      '  Tags         tags          ["a","b"]          –                       –',
      '  Note         note          null               "x"                     null',
      "               id            (when it is sent)  –                       –",
      "               row           1                  –                       –",
      "First 3 rows of event 2:",
      "  column  member  row 1               row 2       row 4",
      '          event   "user.made"         (left out)  "user.made"',
      '  Email   email   " Ada@Example.com"              –',
      '          source  "crm"                           "crm"',
    ]);
    expect(stderr).toContain("Columns that no member uses: Fax, Left\\u001b\n");
  });

  it("are in the JSON with the columns that nothing uses, and not shown with --quiet", async () => {
    const { check } = await people(rows);
    const { preview, unused_columns } = JSON.parse((await check("--json")).stdout);
    expect(unused_columns).toEqual(["Fax", "Left\u001b"]);
    expect(preview.map(({ row }: { row: number }) => row)).toEqual([1, 2, 4]);
    const [{ members }, second] = preview[1].explained;
    expect(members[2]).toMatchObject({ name: "profile.age", code: "not_an_integer" });
    // The id of an event is known only when the whole input has been read.
    expect(members[6]).toEqual({ name: "id", steps: [{ by: "meta", of: "event_id" }] });
    expect(second).toMatchObject({ index: 2, left_out: expect.stringContaining("Kind") });
    expect((await check("--quiet")).stderr).toBe("");
  });
});

const row = (number: number, members: EventExplanation["members"]) => ({
  ...{ row: number, line: number + 1 },
  events: [{ index: 1, resource: "users" as const, members }],
});
const long = "long".repeat(100) + "\u001b[2J".repeat(20);

it.each([20, 50, 80, 200])("a table is no wider than a terminal of %i", (width) => {
  const members = (value: string) => [
    { name: "a.long_name_of_a_member", steps: [{ by: "column", of: long, gives: value }], value },
    { name: "b", steps: [], value: { a: [value] } },
  ];
  const [title = "", ...lines] = renderFirstRows(
    [row(1, members(long)), row(2, members("x")), row(3, members(`${long}!`))],
    width,
  );
  expect(lines).toHaveLength(3);
  const shownRows = width < 80 ? 1 : 3;
  expect(title).toBe(shownRows === 1 ? "First row:" : `First ${shownRows} rows:`);
  for (const line of lines) {
    // The narrowest that can be read: 8 places for a name, 12 for a value.
    expect(line.length).toBeLessThanOrEqual(Math.max(width, 34));
    expect(line).not.toMatch(/\p{Cc}/u);
  }
});
