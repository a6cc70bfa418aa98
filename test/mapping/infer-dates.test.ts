import { describe, expect, it, test } from "vitest";
import { compileMapping } from "../../src/mapping/compile-mapping.ts";
import { inferMapping } from "../../src/mapping/infer/infer-mapping.ts";
import { writeMapping } from "../../src/mapping/infer/write-mapping.ts";
import { loadMapping } from "../../src/mapping/load-mapping.ts";
import { bodies, people, rowOf } from "./given-mapping.ts";

/** The proposal for a table of one column in a year, and the value that it makes of the first cell. */
function propose(header: string, cells: readonly string[], thisYear = 2026) {
  const inferred = inferMapping({
    columns: [header],
    rows: cells.map((cell) => [cell]),
    isWhole: true,
    thisYear,
  });
  const text = writeMapping(inferred, {
    ...{ schema: "s.json", about: [], maskSamples: false, isAnswered: true },
  });
  const value = eventValue(text, header, cells[0] ?? "");
  return { text, value, member: inferred.members[0] };
}

/** What the mapping makes of one cell on a day of 2026. */
function eventValue(text: string, header: string, cell: string): unknown {
  const loaded = loadMapping(text);
  if (loaded.kind === "invalid") throw new Error(JSON.stringify(loaded.problems));
  const compiled = compileMapping(loaded.mapping, [header], people, new Map(), "2026-11-22");
  if (compiled.kind === "invalid") throw new Error(JSON.stringify(compiled.problems));
  const [body = ""] = bodies(compiled.mapRow(rowOf([cell])));
  return Object.values(JSON.parse(body) as object)[1];
}

test.each([
  ["01-JAN-45 12.00.00.000000 AM", "1945-01-01", "d-MMM-yy hh.mm.ss.u a"],
  ["01-MAY-24 01.15.00.123456789 PM", "2024-05-01T13:15:00.123Z", "d-MMM-yy hh.mm.ss.u a"],
  ["01-MAY-2024 13.15.00", "2024-05-01T13:15:00.000Z", "d-MMM-yyyy HH.mm.ss"],
  ["01-MAY-2024 13:15:00", "2024-05-01T13:15:00.000Z", "d-MMM-yyyy HH:mm:ss"],
  ["2024-05-01-13.15.00.000000", "2024-05-01T13:15:00.000Z", "yyyy-MM-dd-HH.mm.ss.u"],
  ["20240501131500", "2024-05-01T13:15:00.000Z", "yyyyMMddHHmmss"],
  ["2024-05-01 13:15:00 +0200", "2024-05-01T11:15:00.000Z", "yyyy-MM-dd HH:mm:ss ZZZ"],
  ["2024-05-01 13:15:00 UTC", "2024-05-01T13:15:00.000Z", "yyyy-MM-dd HH:mm:ss 'UTC'"],
  ["May 1 2024 1:15PM", "2024-05-01T13:15:00.000Z", "MMM d yyyy h:mma"],
  ["May  1 2024  1:15PM", "2024-05-01T13:15:00.000Z", "MMM d yyyy h:mma"],
  ["Wed, 01 May 2024 13:15:00 +0000", "2024-05-01T13:15:00.000Z", "EEE, d MMM yyyy HH:mm:ss ZZZ"],
  ["01-MAY-24 01.15.00.123 PM +02:00", "2024-05-01T11:15:00.123Z", "d-MMM-yy hh.mm.ss.u a ZZ"],
  [
    "01-MAY-24 01.15.00.123 PM EUROPE/AMSTERDAM",
    "2024-05-01T11:15:00.123Z",
    "d-MMM-yy hh.mm.ss.u a z",
  ],
  ["2024-05-01 13:15:00.1234567 +02:00", "2024-05-01T11:15:00.123Z", "yyyy-MM-dd HH:mm:ss.u ZZ"],
  ["Wed, 01 May 2024 13:15:00 GMT", "2024-05-01T13:15:00.000Z", "EEE, d MMM yyyy HH:mm:ss 'GMT'"],
  ["Wednesday, May 1, 2024", "2024-05-01", "EEEE, MMMM d, yyyy"],
  ["2024-05-01 13:15:00.123456", "2024-05-01T13:15:00.123Z", undefined],
  ["2024-05-01 13:15:00+02", "2024-05-01T11:15:00.000Z", undefined],
])("%s, as databases and services write it, is %s", (cell, expected, format) => {
  const { value, member } = propose("CREATED_DT", [cell]);
  expect(value).toBe(expected);
  expect(member?.conversion.format).toBe(format);
});

test.each([
  ["created_epoch", "1714569300"],
  ["created_ts_ms", "1714569300000"],
])("%s counts from 1970", (header, cell) => {
  expect(propose(header, [cell]).value).toBe("2024-05-01T13:15:00.000Z");
});

describe("years of two digits", () => {
  it("of a column about the past are never far ahead", () => {
    const { text, value } = propose("HIRE_DT", ["01-JAN-45", "03-MAR-12", "05-MAY-58"]);
    expect(value).toBe("1945-01-01");
    expect(text).toContain("type: date, format: d-MMM-yy, pivot_year: 2040 }");
    expect(text).toContain(
      "# years of two digits are read as 1941 to 2040, as 2058 is too far ahead",
    );
  });

  it("are read so in rows that were not seen", () => {
    const { text } = propose("HIRE_DT", ["05-MAY-58", "03-MAR-12"]);
    expect(eventValue(text, "HIRE_DT", "01-JAN-45")).toBe("1945-01-01");
    const visits = propose("visit", ["1/31/27", "1/31/58"]);
    expect(visits.value).toBe("2027-01-31");
    expect(eventValue(visits.text, "visit", "1/31/45")).toBe("1945-01-31");
  });

  it.each([
    ["Created", "1/1/27", "1927-01-01"],
    ["visit", "1/1/45", "1945-01-01"],
    ["visit", "1/1/27", "2027-01-01"],
    ["Expires", "1/1/45", "2045-01-01"],
    ["gültig bis", "1/1/45", "2045-01-01"],
    ["Birthday", "1/1/45", "1945-01-01"],
    ["CUST_BIRTH_DT", "1/1/45", "1945-01-01"],
    ["visit", "1/1/61", "1961-01-01"],
  ])("follow the meaning of %s: %s is %s", (header, cell, expected) => {
    const { text, value } = propose(header, [cell, "1/31/99"]);
    expect(value).toBe(expected);
    expect(text).toContain("# years of two digits are ");
  });
});
