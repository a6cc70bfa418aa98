import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { situation } from "../situation.ts";

const mapping =
  "version: 1\nresource: users\nevent: { column: Kind, map: { A: made, U: changed } }\n" +
  "members:\n  email: { column: Email, transform: [trim, lowercase], required: true }\n" +
  "  age: { column: Age, type: integer, max: 99 }\n  id: { meta: event_id }\n  note: Note\n";

async function people(lines: readonly string[]) {
  const here = await situation();
  await here.write("people.yaml", mapping);
  await here.write("people.csv", ["Kind,Email,Age,Note", ...lines, ""].join("\n"));
  return here;
}

const repeat = (times: number, line: string) => Array.from({ length: times }, () => line);

describe("problems", () => {
  const lines = [
    ...repeat(1200, "A,a@example.com,eighty,"),
    ...repeat(2, "A,b@example.com,ninety,"),
    ...repeat(7, "A,,30,"),
    "A,c@example.com,100,",
    "X,d@example.com,20,",
    ...["e", "f", "g", "h", "i", "j"].map((cell) => `A,a@example.com,${cell}\u001b,`),
    ...[100, 101, 102, 103, 104].map((cell) => `A,a@example.com,${cell},`),
    ...["short", "A,a,1,2,3", "short", "short", "short", "A,a,1"],
  ];

  it("are shown by kind and column, the largest group first, and few of a kind by row", async () => {
    const { check } = await people(lines);
    const { status, stdout } = await check();
    expect(status).toBe(1);
    expect(stdout.split("\n")).toEqual([
      '1,208 × column "Age": is not a whole number',
      '    "eighty": 1,200 times, first in row 1 (line 2)',
      '    "ninety": 2 times, first in row 1201 (line 1202)',
      '    "e\\u001b" in row 1212 (line 1213)',
      '    "f\\u001b" in row 1213 (line 1214)',
      '    "g\\u001b" in row 1214 (line 1215)',
      "    and 3 more",
      '7 × column "Email": is blank, and the mapping requires it',
      "    in rows 1203 (line 1204), 1204 (line 1205), 1205 (line 1206), 1206 (line 1207), 1207 (line 1208), …",
      '6 × column "Age": is more than 99',
      '    "100": 2 times, first in row 1210 (line 1211)',
      '    "101" in row 1219 (line 1220)',
      '    "102" in row 1220 (line 1221)',
      '    "103" in row 1221 (line 1222)',
      '    "104" in row 1222 (line 1223)',
      "6 × ragged row",
      "    has 1 cell where the header has 4: 4 times, first in row 1223 (line 1224)",
      '    has 5 cells where the header has 4; without a column: "3" in row 1224 (line 1225)',
      "    has 3 cells where the header has 4 in row 1228 (line 1229)",
      'row 1211 (line 1212), column "Kind": "X" is none of the cells that the mapping knows ("A", "U")',
      "",
    ]);
  });

  it("stand in the JSON one by one and in groups", async () => {
    const { check } = await people(lines);
    const told = JSON.parse((await check("--json")).stdout);
    expect(told).toMatchObject({ problems_found: 1228, problems_ungrouped: 0, event_kinds: [] });
    expect(told.problems).toHaveLength(1228);
    expect(told.problem_groups).toHaveLength(5);
    const message = "is not a whole number";
    expect(told.problem_groups[0]).toMatchObject({
      ...{ code: "not_an_integer", column: "Age", count: 1208, message },
      first: repeat(5, "").map((_, at) => ({
        row: at + 1,
        line: at + 2,
        value: "eighty",
        message,
      })),
    });
    expect(told.problem_groups[0].cases[0]).toEqual({
      ...{ value: "eighty", message, count: 1200, first: { row: 1, line: 2 } },
    });
    expect(told.problem_groups[3]).toMatchObject({ column: null, message: null });
  });

  it("are all written to a file, which is not for --row", async () => {
    const { check, read, path } = await people(lines);
    const options = ["--problems", path("problems.csv")];
    expect((await check(options)).status).toBe(1);
    const written = (await read("problems.csv")).split("\n");
    expect(written).toHaveLength(1230);
    expect(written[1]).toBe("1,2,,Age,eighty,not_an_integer,is not a whole number");
    const both = await check([...options, "--row", "1"]);
    expect(both).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("cannot be given together"),
    });
  });

  it("before damage leave no file", async () => {
    const { check, folder, path } = await people([
      ...["A,a@example.com,x,", 'A,"never closed,1,', "B,b@example.com,1,"],
    ]);
    expect((await check(`--problems ${path("problems.csv")}`)).status).toBe(2);
    expect(readdirSync(folder).filter((name) => name.startsWith("problems"))).toEqual([]);
  });
});

it("events are listed by kind, with how many have which member", async () => {
  const { check } = await people(["A,a@example.com,,", "A,b@example.com,1,", "U,c@example.com,,"]);
  const { stderr } = await check();
  expect(stderr.split("\n").slice(0, 4)).toEqual([
    'Events: 2 × "made" (users), 1 × "changed" (users)',
    "Members always present: email, id",
    "Members sometimes present: age (1)",
    "Members never present: note",
  ]);
  const { event_kinds } = JSON.parse((await check("--json")).stdout);
  const members = (counts: readonly number[]) =>
    ["email", "age", "id", "note"].map((name, at) => ({ name, count: counts[at] }));
  const to = { resource: "users", method: "POST" };
  expect(event_kinds).toEqual([
    { ...to, event: "made", index: 1, count: 2, members: members([2, 1, 2, 0]) },
    { ...to, event: "changed", index: 1, count: 1, members: members([1, 0, 1, 0]) },
  ]);
});

describe("--row", () => {
  it("says how each value is made", async () => {
    const { check } = await people(["A, A@example.com,7,"]);
    const { stdout } = await check("--row 1");
    expect(stdout.split("\n\n").at(-1)?.split("\n")).toEqual([
      "How each value is made:",
      '  event  column "Kind" "A" → map "made"',
      '  email  column "Email" " A@example.com" → trim "A@example.com" → lowercase "a@example.com"',
      '  age    column "Age" "7" → integer 7',
      expect.stringMatching(/^ {2}id {5}meta event_id "[\da-f-]{36}"$/),
      '  note   column "Note" "" → empty: omit (left out)',
      "",
    ]);
    const { requests, explained } = JSON.parse((await check("--row 1 --json")).stdout);
    expect(requests[0].body).toEqual({
      ...{ event: "made", email: "a@example.com", age: 7 },
      id: explained[0].members[3].value,
    });
    expect(explained[0].members[2]).toEqual({
      name: "age",
      steps: [
        { by: "column", of: "Age", gives: "7" },
        { by: "type", of: "integer", gives: 7 },
      ],
      value: 7,
    });
  });

  it("of a night shows no request that the night would not send", async () => {
    const { check, write, path } = await people(["A, ,7,"]);
    const keyed = mapping.replace(", required: true", "");
    await write("people.yaml", `${keyed}ordering_key: [Email]\n`);
    const night = ["--state", path("people.state.jsonl"), "--base-url", "https://example.com"];
    expect((await check(["--row", "1"])).status).toBe(0);
    const refused = await check(["--row", "1", ...night]);
    expect(refused).toMatchObject({
      status: 1,
      stdout: expect.stringContaining("its ordering key is blank"),
    });
    expect(refused.stdout).not.toContain("POST");
  });

  it("tells of each of several events, also of one that is left out", async () => {
    const { check, write } = await people(["A,a@example.com,7,"]);
    await write(
      "people.yaml",
      "version: 1\nresource: users\nevents:\n" +
        "  - { event: a, members: { x: Age } }\n" +
        "  - { event: b, when: { column: Kind, in: [U] }, members: {} }\n" +
        "  - { event: c, members: { y: { value: [1] } } }\n",
    );
    const { stdout } = await check("--row 1");
    const told = stdout.split("\n").filter((line) => /^(POST|Event| {2}[a-z])/.test(line));
    expect(told).toEqual([
      "POST {base_url}/v1/users/events",
      '  event  value "a"',
      '  x      column "Age" "7"',
      'Event 2 (users) is left out: when requires column "Kind" among "U"',
      "POST {base_url}/v1/users/events",
      '  event  value "c"',
      "  y      value [1]",
    ]);
  });
});

it("warnings of the whole file stand in the JSON too", async () => {
  const swallowed = repeat(7, 'A,"a@example.com,1,x\nA,b@example.com",2,y');
  const { check } = await people(swallowed);
  const { stdout, stderr } = await check("--json");
  const { warnings } = JSON.parse(stdout);
  expect(warnings).toEqual([expect.stringContaining("people.csv: 7 rows look like several")]);
  for (const warning of warnings) expect(stderr).toContain(`warning: ${warning}\n`);
});
