import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileMapping } from "../../src/mapping/compile-mapping.ts";
import { loadMapping } from "../../src/mapping/load-mapping.ts";
import { describeTwoDigitYears } from "../../src/mapping/two-digit-years.ts";
import { head, people, rowOf, shown } from "./given-mapping.ts";

function load(members: string) {
  const loaded = loadMapping(`${head}members:\n  ${members}\n`);
  if (loaded.kind === "invalid") throw new Error(JSON.stringify(loaded.problems));
  return loaded.mapping;
}

const onDay = "2026-11-21";

/** The event that a run of that day makes of one cell. */
function eventOf(members: string, cell: string, { runDay = onDay, column = "A" } = {}) {
  const compiled = compileMapping(load(members), [column], people, new Map(), runDay);
  if (compiled.kind === "invalid") throw new Error(JSON.stringify(compiled.problems));
  return compiled.mapRow(rowOf([cell]));
}

function memberOf(...given: Parameters<typeof eventOf>): unknown {
  const [first] = shown(eventOf(...given)) as readonly unknown[];
  return typeof first === "string" ? first : Object.values(first as object)[1];
}

describe("a date of birth is never later than the run", () => {
  test.each([
    ["d/M/yy", "12/5/45", "1945-05-12"],
    ["d/M/yy", "31/12/99", "1999-12-31"],
    ["d/M/yy", "1/3/26", "2026-03-01"],
    ["d/M/yy", "21/11/26", "2026-11-21"],
    ["d/M/yy", "22/11/26", "1926-11-22"],
    ["d/M/yy", "1/1/27", "1927-01-01"],
    ["d/M/yy", "1/1/00", "2000-01-01"],
    ["d/M/yy", "29/2/00", "2000-02-29"],
    ["d/M/yy", "29/2/28", "1928-02-29"],
    ["d/M/yy", "12/5/2045", "2045-05-12"],
    ["yyMMdd", "450512", "1945-05-12"],
    ["dd MMM ''yy", "12 May '45", "1945-05-12"],
    ["EEE d MMM yy", "Sat 12 May 45", "1945-05-12"],
    ["[d/M/yyyy, d/M/yy]", "12/5/45", "1945-05-12"],
  ])("in %s %s is %s", (format, cell, value) => {
    const quoted = format.startsWith("[") ? format : JSON.stringify(format);
    expect(memberOf(`birthday: { column: A, type: date, format: ${quoted} }`, cell)).toBe(value);
  });

  test("nor of a time, an item of a list, or a day of the week that no such day was", () => {
    const time = "{ column: A, type: datetime, format: d/M/yy HH:mm, timezone: Europe/Amsterdam }";
    expect(memberOf(`born: ${time}`, "12/5/45 00:30")).toBe("1945-05-11T22:30:00.000Z");
    const list = "{ column: A, type: list, separator: ;, items: { type: date, format: d/M/yy } }";
    expect(memberOf(`birthdays: ${list}`, "12/5/45; 1/3/26")).toEqual(["1945-05-12", "2026-03-01"]);
    const weekday = "{ column: A, type: date, format: EEE d MMM yy }";
    expect(memberOf(`born: ${weekday}`, "Fri 12 May 45")).toContain("not_a_date");
  });

  test.each([
    ...[
      "birthday",
      "birth_date",
      "person.dateOfBirth",
      "dob",
      "bday",
      "contact_birthday",
      "born_on",
    ],
    ...["Geburtsdatum", "geb", "date_naissance", "fecha_nacimiento", "data_di_nascita"],
    ...["geboortedatum", "data_nascimento", "data_urodzenia", "födelsedatum", "fødselsdato"],
  ])("of a member %s", (name) => {
    const value = memberOf(`"${name}": { column: A, type: date, format: d/M/yy }`, "1/1/45");
    expect(JSON.stringify(value)).toContain('"1945-01-01"');
  });

  test.each([
    "{ column: Geb. Datum, type: date, format: d/M/yy }",
    "{ columns: [Geb. Datum], type: date, format: d/M/yy }",
    '{ template: "{Geb. Datum}", type: date, format: d/M/yy }',
  ])("nor of a column called so, in %s", (member) => {
    expect(memberOf(`it: ${member}`, "1/1/45", { column: "Geb. Datum" })).toBe("1945-01-01");
  });

  test.each(["signed_up", "ends_on", "Gebiet", "stubborn_until"])("others may be: %s", (name) => {
    const member = `${name}: { column: A, type: date, format: d/M/yy }`;
    expect(memberOf(member, "1/1/45")).toBe("2045-01-01");
    expect(memberOf(member, "1/1/61")).toBe("1961-01-01");
  });
});

test("every date of birth is of the hundred years up to the run, and the cell's day, month and year", () => {
  const anyDay = fc
    .date({ min: new Date("2001-01-01"), max: new Date("2099-12-31"), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  fc.assert(
    fc.property(anyDay, anyDay, (runDay, day) => {
      const [year = "", month, date] = day.split("-");
      const cell = [date, month, year.slice(2)].join("/");
      const member = "birthday: { column: A, type: date, format: dd/MM/yy }";
      const value = memberOf(member, cell, { runDay });
      // 29 February 1900 never was.
      expect(value).toSatisfy((born: string) => born <= runDay && born.slice(4) === day.slice(4));
      const next = `${Number(String(value).slice(0, 4)) + 100}${day.slice(4)}`;
      expect(next > runDay).toBe(true);
      expect(String(value).slice(2, 4)).toBe(year.slice(2));
    }),
    { numRuns: 300 },
  );
});

test("a night later the events are the same, but for those born or a hundred years old that day", () => {
  const member = "birthday: { column: A, type: date, format: dd/MM/yy }";
  const idOf = (cell: string, runDay: string) => {
    const mapped = eventOf(member, cell, { runDay });
    return mapped.kind === "events" ? mapped.events[0]?.id : undefined;
  };
  for (const cell of ["12/05/45", "01/03/26", "20/11/26", "21/11/26", "23/11/26", "31/12/26"]) {
    expect([cell, idOf(cell, "2026-11-22")]).toEqual([cell, idOf(cell, "2026-11-21")]);
  }
  expect(idOf("22/11/26", "2026-11-22")).not.toBe(idOf("22/11/26", "2026-11-21"));
});

test.each([
  ["type: date, format: d/M/yy, pivot_year: 2044", "1/1/45", "1945-01-01"],
  ["type: date, format: d/M/yy, pivot_year: 2044", "31/12/44", "2044-12-31"],
  ["type: date, format: d/M/yy, pivot_year: 2099", "1/1/61", "2061-01-01"],
  [
    "type: datetime, format: d/M/yy HH:mm, pivot_year: 2044",
    "1/1/45 01:00",
    "1945-01-01T01:00:00.000Z",
  ],
  ["type: date, format: [d/M/yyyy, d/M/yy], pivot_year: 2044", "1/1/2045", "2045-01-01"],
])("pivot_year is the last that two digits can mean: %s", (keys, cell, value) => {
  expect(memberOf(`it: { column: A, ${keys} }`, cell)).toBe(value);
  expect(memberOf(`birthday: { column: A, ${keys} }`, cell)).toBe(value);
});

test("what pivot_year says is reported, and it is a year of four digits", () => {
  const { spec } = load("joined: { column: A, type: date, format: d/M/yy, pivot_year: 2044 }");
  expect(describeTwoDigitYears(spec, onDay)).toEqual([
    'member "joined": years of two digits are read as 1945 to 2044, as pivot_year says.',
  ]);
  for (const wrong of ["pivot_year: 2044", "type: date, format: d/M/yy, pivot_year: 44"]) {
    expect(loadMapping(`${head}members:\n  a: { column: A, ${wrong} }\n`).kind).toBe("invalid");
  }
});

test("what years of two digits are taken for is reported for each member that has them", () => {
  const { spec } = load(
    [
      "birthday: { column: A, type: date, format: d/M/yy }",
      "joined: { column: A, type: datetime, format: [d/M/yyyy, d/M/yy] }",
      "days: { column: A, type: list, separator: ;, items: { type: date, format: yy-MM-dd } }",
      "other: { column: A, type: date, format: \"'yy' d/M/yyyy\" }",
      "text: A",
    ].join("\n  "),
  );
  const others = "are read as 1961 to 2060: where that is wrong, set pivot_year.";
  expect(describeTwoDigitYears(spec, onDay)).toEqual([
    'member "birthday": years of two digits are read as those from 1926-11-22 to 2026-11-21, as nobody is born after the run.',
    `member "joined": years of two digits ${others}`,
    `member "days": years of two digits ${others}`,
  ]);
  expect(describeTwoDigitYears(spec, "2024-02-29")[0]).toContain("from 1924-03-01 to 2024-02-29");
});
