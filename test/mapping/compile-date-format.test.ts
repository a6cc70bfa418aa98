import fc from "fast-check";
import { DateTime } from "luxon";
import { expect, test } from "vitest";
import { compileDateFormat } from "../../src/mapping/date-format.ts";
import { casesOf, memberOf, problemOf } from "./given-mapping.ts";

const date = (format: string) => `{ column: A, type: date, format: ${format} }`;
const inZone = (zone: string, format = "dd/MM/yyyy HH:mm") =>
  `{ column: A, type: datetime, format: ${format}, timezone: ${zone} }`;

test.each([
  ["{ column: A, type: date }", "2024-02-29T23:30:00+02:00", "2024-02-29"],
  [inZone("UTC", "iso"), "9999-12-31T23:59:59", "9999-12-31T23:59:59.000Z"],
  [date("EEE dd MMM yy, pivot_year: 2044"), "Wed 01 May 24", "2024-05-01"],
  [date("EEE dd MMM yy, pivot_year: 2044"), "Sat 12 May 45", "1945-05-12"],
  [date("dd MMM ''yy, pivot_year: 2044"), "12 May '45", "1945-05-12"],
  [date("d/M/yy, pivot_year: 2044"), "31/12/44", "2044-12-31"],
  [date("[yyyyMMdd, ddMMyy], pivot_year: 2044"), "20121110", "2012-11-10"],
  [date("d/M/yy, pivot_year: 2099"), "1/1/61", "2061-01-01"],
  [date("d/M/yy, pivot_year: 2030"), "29/2/00", "2000-02-29"],
  [date("yyMMdd, pivot_year: 2044"), "450512", "1945-05-12"],
  [date("[d/M/yyyy, d/M/yy], pivot_year: 2044"), "1/1/2045", "2045-01-01"],
  [inZone("UTC", "d/M/yy HH:mm, pivot_year: 2044"), "1/1/45 01:00", "1945-01-01T01:00:00.000Z"],
  [
    "{ column: A, type: list, separator: ;, items: { type: date, format: d/M/yy, pivot_year: 2044 } }",
    "1/1/45; 1/1/44",
    ["1945-01-01", "2044-01-01"],
  ],
  [date("excel_serial"), "59.75", "1900-02-28"],
  [date("excel_serial"), "61", "1900-03-01"],
  [date("X"), "-86400", "1969-12-31"],
  ["{ column: A, type: datetime }", "2024-05-01 12:30:15.5", "2024-05-01T12:30:15.500Z"],
  ["{ column: A, type: datetime }", "2024-05-01 12:30:15.123456+02", "2024-05-01T10:30:15.123456Z"],
  ["{ column: A, type: datetime }", "2024-05-01T12:30:15,000070000", "2024-05-01T12:30:15.00007Z"],
  [inZone("UTC", "yyyy-MM-dd HH:mm ZZZ"), "2024-05-01 14:30 +1400", "2024-05-01T00:30:00.000Z"],
  [date("excel_serial"), "45000.999999", "2023-03-15"],
  [date("excel_serial"), "2958465.999999", "9999-12-31"],
  [inZone("UTC", "excel_serial"), "45000.999999", "2023-03-16T00:00:00.000Z"],
  [inZone("Europe/Amsterdam", "excel_serial"), "45000.999999", "2023-03-15T23:00:00.000Z"],
  [inZone("America/New_York", "[excel_serial, iso]"), "45413", "2024-05-01T04:00:00.000Z"],
])("%s of %j is %j", (spec, cell, value) => {
  expect(memberOf(spec, cell)).toEqual(value);
});

test.each(
  casesOf(`
{ column: A, type: date, format: [dd/MM/yyyy, excel_serial] } of 60
    not_a_date: is not a date in dd/MM/yyyy or Excel's numbers of days
{ column: A, type: date, format: EEE dd MMM yyyy } of Tue 01 May 2024
    not_a_date: is not a date in EEE dd MMM yyyy
{ column: A, type: datetime, format: dd/MM/yyyy HH:mm, timezone: Europe/Amsterdam } of 31/03/2024 02:30
    not_a_datetime: did not exist in Europe/Amsterdam: clocks went forward then
{ column: A, type: date, format: d/M/yy, pivot_year: 2044 } of 1/2/202
    not_a_date: is not a date in d/M/yy
{ column: A, type: date, format: ddMMyy, pivot_year: 2044 } of 20121110
    not_a_date: is not a date in ddMMyy
{ column: A, type: date, format: EEE d MMM yy, pivot_year: 2044 } of Fri 12 May 45
    not_a_date: is not a date in EEE d MMM yy
{ column: A, type: date, format: iso } of 0024-05-01
    not_a_date: is not a date in ISO 8601 (such as 2024-05-31)
{ column: A, type: date, format: X } of -62135596800
    not_a_date: is not a date in seconds since 1970
{ column: A, type: date, format: dd/MM/yyyy } of 12/31/2024
    not_a_date: is not a date in dd/MM/yyyy; it is one in MM/dd/yyyy
{ column: A, type: datetime, format: iso, timezone: UTC } of 1000-01-01T00:00:00+01:00
    not_a_datetime: is outside the years 1000 to 9999 when it is in UTC
{ column: A, type: datetime, format: excel_serial, timezone: Europe/Amsterdam } of 45382.104166667
    not_a_datetime: did not exist in Europe/Amsterdam: clocks went forward then
`),
)("%s is a problem", (given, problem) => {
  expect(problemOf(given)).toBe(problem);
});

test.each([
  ["h:mm a", "00:30 PM"],
  ["hh:mm a", "00:30 AM"],
  ["hh:mm a", "13:30 PM"],
  ["HH:mm Z", "12:30 +15"],
  ["HH:mm ZZ", "12:30 +14:01"],
  ["HH:mm ZZ", "12:30 -02:60"],
  ["HH:mm ZZZ", "12:30 +0275"],
])("no time in %s is %j", (format, time) => {
  const value = memberOf(inZone("UTC", `yyyy-MM-dd ${format}`), `2024-05-01 ${time}`);
  expect(value).toContain("not_a_datetime");
});

const formats = [
  ...["dd/MM/yyyy", "M/d/yyyy H:m", "yyyy-MM-dd'T'HH:mm:ss.SSS", "yyyyMMdd", "dd.MM.yyyy HH:mm:ss"],
  ...["d 'de' M yyyy", "yyyy年M月d日", "MM-dd-yyyy HH"],
];

test("formats of digits are read as luxon reads them", () => {
  const anyMoment = fc.tuple(
    fc.integer({ min: 0, max: 9999 }),
    fc.integer({ min: 0, max: 13 }),
    fc.integer({ min: 0, max: 32 }),
    fc.integer({ min: 0, max: 86_399_999 }),
  );
  const two = (number: number) => String(number).padStart(2, "0");
  fc.assert(
    fc.property(fc.constantFrom(...formats), anyMoment, fc.boolean(), (format, moment, plain) => {
      const [year, month, day, ms] = moment;
      const time = new Date(ms).toISOString();
      const text = format
        .replace("yyyy", String(year).padStart(4, "0"))
        .replace("SSS", time.slice(20, 23))
        .replace("MM", two(month))
        .replace("M", plain ? String(month) : two(month))
        .replace("dd", two(day))
        .replace(/d(?!e)/, plain ? String(day) : two(day))
        .replace(/HH?/, time.slice(11, 13))
        .replace(/mm?/, time.slice(14, 16))
        .replace("ss", time.slice(17, 19))
        .replaceAll("'", "");
      const luxon = DateTime.fromFormat(text, format, { zone: "UTC", locale: "en" });
      const isThere = luxon.isValid && luxon.year >= 1000;
      const expected = isThere
        ? {
            year: luxon.year,
            month: luxon.month,
            day: luxon.day,
            timeMs: luxon.diff(luxon.startOf("day")).milliseconds,
          }
        : undefined;
      expect([format, text, compileDateFormat(format)(text)]).toEqual([format, text, expected]);
    }),
    { numRuns: 500 },
  );
});

test("a local time is the first instant at which clocks showed it, in every zone and season", () => {
  const anyTime = fc.date({
    min: new Date("1995-01-01"),
    max: new Date("2035-01-01"),
    noInvalidDate: true,
  });
  const zones = [
    "Europe/Amsterdam",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
    "Africa/Casablanca",
    "Pacific/Apia",
  ];
  const dayMs = 86_400_000;
  // From an instant to what clocks show is certain; the way back luxon itself gets wrong now and then,
  // as at 2011-04-02 04:00 in Apia.
  const shown = (zone: string, instant: number) => DateTime.fromMillis(instant, { zone });
  fc.assert(
    fc.property(fc.constantFrom(...zones), anyTime, (zone, time) => {
      const cell = time.toISOString().slice(0, 16).replace("T", " ");
      const asIfUtc = Date.parse(`${cell.replace(" ", "T")}Z`);
      const instants = [-dayMs, 0, dayMs]
        .map((away) => asIfUtc - shown(zone, asIfUtc + away).offset * 60_000)
        .filter((one) => shown(zone, one).toFormat("yyyy-MM-dd HH:mm") === cell);
      const was = instants.length > 0;
      const first = Math.min(...instants);
      const value = memberOf(`{ column: A, type: datetime, timezone: ${zone} }`, cell);
      if (was) expect([zone, cell, value]).toEqual([zone, cell, new Date(first).toISOString()]);
      else expect(value).toContain("did not exist in");
    }),
    { numRuns: 300, examples: [["Pacific/Apia", new Date("2011-04-02T04:00:00.000Z")]] },
  );
});
