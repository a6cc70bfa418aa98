import { describe, expect, it } from "vitest";
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

describe("the first rows of a check", () => {
  it("the first is shown, for each event of the mapping", async () => {
    const { check } = await people(rows);
    const { stderr } = await check();
    expect(stderr.split("\n").filter((line) => line.startsWith("Row "))).toEqual([
      'Row 1 becomes, event 1: email "ada@example.com", profile.age 36, profile.name "Ada Lovelace", tags ["a","b"], note null, id (when it is sent), row 1',
      'Row 1 becomes, event 2: email " Ada@Example.com", source "crm"',
    ]);
    expect(stderr).toContain("Columns that no member uses: Fax, Left\\u001b\n");
    const broken = await people(rows.slice(1));
    expect((await broken.check()).stderr).toContain(
      'Row 1 becomes, event 1: email "bob@example.com", profile.age invalid: is not a whole number, ',
    );
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

it("whatever its cells hold, it is short and controls no terminal", async () => {
  const long = "long".repeat(100) + "\u001b[2J".repeat(20);
  const { check } = await people([`A,${long},1,${long},b,,,,`]);
  const line = (await check()).stderr.split("\n").find((one) => one.startsWith("Row 1")) ?? "";
  expect(line.length).toBeLessThan(300);
  expect(line).not.toMatch(/\p{Cc}/u);
});
