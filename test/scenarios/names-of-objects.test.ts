import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runImport } from "../../src/index.ts";
import { readAttributes } from "../../src/input/workbook/parse-xml.ts";
import { setAt } from "../../src/page/edit-yaml.ts";
import { readTable } from "../../src/page/mapping-table.ts";
import { startService } from "../delivery/service-under-test.ts";
import { pageOf } from "../page/page-under-test.ts";
import { scenario } from "./scenario.ts";

/** What every object of JavaScript has, and `{}[name]` gives. */
const names = [
  "constructor",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "isPrototypeOf",
  "__proto__",
];
const csv = `${[...names, "Email"].join(",")}\n${names
  .map((name, at) =>
    [...names.map((_, column) => names[(at + column) % 6]), `${name}@x.example`].join(","),
  )
  .join("\n")}\n`;
const mapping = `version: 1
resource: users
event: { column: toString, map: { valueOf: user.value }, otherwise: user.imported }
ordering_key: [constructor]
when: { column: valueOf, not_in: [nothing] }
members:
  email: { column: Email }
  constructor.prototype: { column: constructor, map: { constructor: yes-constructor }, otherwise: none }
  hasOwnProperty: { column: hasOwnProperty, lookup: { file: codes.csv, key: Code, value: Name }, otherwise: none }
  toString: { template: "{__proto__} {isPrototypeOf}" }
`;
/** What a function is as text. */
const native = /native code|\[object/;

it("cells and columns that are called as what every object has are texts", async () => {
  const { eventload, folder, read, records } = await scenario("plain");
  const service = await startService(({ n }) => ({ status: n === 2 ? 422 : 202 }));
  await writeFile(join(folder, "people.csv"), csv);
  await writeFile(join(folder, "codes.csv"), "Code,Name\nvalueOf,known\n");
  const proposed = await eventload("init people.csv --output people.yaml.new.yaml");
  expect(proposed.status).toBe(0);
  const checked = await eventload("check people.csv --mapping people.yaml.new.yaml --json");
  expect(JSON.parse(checked.stdout)).toMatchObject({ rows: 6, events: 6, invalid_rows: 0 });
  await writeFile(join(folder, "people.yaml"), mapping);
  const to = `--base-url ${service.url} --concurrency 1 --report report.html`;
  const printed = [
    checked,
    await eventload("check people.csv --row 1"),
    await eventload("check people.csv"),
    await eventload(`import people.csv ${to}`),
    await eventload("status"),
    await eventload("report people.results.csv --text"),
  ];
  for (const { stdout, stderr } of printed) expect(stdout + stderr).not.toMatch(native);
  expect(await read("report.html")).not.toMatch(native);

  const bodies = service.receipts.map(({ body }) => JSON.parse(body));
  expect(bodies[0]).toEqual({
    event: "user.imported",
    email: "constructor@x.example",
    constructor: { prototype: "yes-constructor" },
    hasOwnProperty: "none",
    toString: "__proto__ isPrototypeOf",
  });
  expect(bodies.map(({ event }) => event).filter((event) => event === "user.value")).toHaveLength(
    1,
  );
  expect(bodies.filter((body) => body.hasOwnProperty === "known")).toHaveLength(1);
  const lines = await records("people.results.csv");
  expect(lines.map((line) => names.map((name) => line[name]))).toEqual(
    csv
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",").slice(0, 6)),
  );
});

it.each(names)("the page of a mapping shows %j as a code that nobody has mapped", async (name) => {
  const text = mapping.replace("map: { constructor: yes-constructor }", "map: { other: x }");
  const member = readTable(text)?.members.find((one) => one.name === "constructor.prototype");
  expect(Object.hasOwn(member?.spec.map as object, name)).toBe(false);
  const coded = setAt(text, [...(member?.path ?? []), "map", name], "y") ?? "";
  expect(Object.entries(readTable(coded)?.members[1]?.spec.map ?? {})).toContainEqual([name, "y"]);
  const { row } = await pageOf(csv, mapping.replace(/ {2}hasOwnProperty.*\n/, ""));
  expect(
    JSON.stringify(await row({ text: text.replace(/ {2}hasOwnProperty.*\n/, ""), row: 1 })),
  ).not.toMatch(native);
});

it.each(names)(
  "%j is no delimiter, encoding, entity or cell of a row that lacks it",
  async (name) => {
    const { eventload, folder } = await scenario("plain");
    for (const option of ["--delimiter", "--encoding", "--target", "--config"]) {
      const { status, stderr } = await eventload(["check", "people.csv", option, name]);
      expect([option, status]).toEqual([option, 2]);
      if (option !== "--delimiter") expect(stderr).toContain(name);
      expect(stderr).not.toContain("is blank");
      expect(stderr).not.toMatch(native);
    }
    expect(() => readAttributes(` a="&${name};"`)).toThrow("unknown reference");
    const service = await startService(() => ({ status: 202 }));
    async function* rows() {
      yield Object.fromEntries([
        ["id", "1"],
        [name, "x"],
      ]);
      yield { id: "2" };
    }
    const members = { id: "id", cell: name };
    const mapping = { version: 1, resource: "users", event: "e", members };
    await writeFile(join(folder, "rows.json"), JSON.stringify(mapping));
    await runImport({
      input: rows(),
      mapping: join(folder, "rows.json"),
      baseUrl: service.url,
      token: "a-token",
      results: join(folder, "rows.results.csv"),
    });
    const cells = service.receipts.map(({ body }) => JSON.parse(body).cell);
    expect(cells.toSorted()).toEqual(["x", undefined]);
  },
);
