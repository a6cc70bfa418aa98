import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DateSystem, readNumber } from "../../src/input/workbook/number-text.ts";
import { builtinForm, displayOfCode } from "../../src/input/workbook/xlsx-number-formats.ts";

const shown = (stored: string, code = "General", system: DateSystem = "1900") =>
  readNumber(stored, displayOfCode(code), system)?.text;

describe("readNumber", () => {
  it.each([
    ["5", "5"],
    ["1E+3", "1000"],
    ["1E+22", "10000000000000000000000"],
    ["12345678901234567890", "12345678901234567890"],
    ["1.5E-7", "0.00000015"],
    ["-1E-10", "-0.0000000001"],
    ["0.30000000000000004", "0.3"],
    ["-0", "0"],
    [" 7 ", "7"],
    ["", undefined],
    ["1,5", undefined],
    ["1e999", undefined],
  ])("%j is %j", (stored, text) => {
    expect(shown(stored)).toBe(text);
  });

  it("never has an exponent, and is the number to 15 digits", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = shown(String(value)) ?? "";
        expect(text).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Math.abs(Number(text) - value)).toBeLessThanOrEqual(Math.abs(value) * 1e-14);
      }),
    );
  });

  it.each([
    ["172", "00000", "00172"],
    ["1234567", "000\\-00\\-0000", "001-23-4567"],
    ["7", '"DE-"000', "DE-007"],
    ["1.5", "00.00", "01.50"],
    ["-7", "000", "-007"],
    ["-172.4", "00000", "-172.4"],
    ["-7", "000;(000)", "-007"],
    ["7", "[$-409]000", "007"],
    ["7", "[<=99]000;0", "007"],
    ["100", "[<=99]000;0", "100"],
    ["172", "[<=99999]00000;00000-0000", "00172"],
    ["21390123", "[<=99999]00000;00000-0000", "02139-0123"],
    ["45", "[<=999]000;[<=9999]000\\-00;000\\-0000", "045"],
    ["6045", "[<=999]000;[<=9999]000\\-00;000\\-0000", "060-45"],
    ["600123", "[<=999]000;[<=9999]000\\-00;000\\-0000", "060-0123"],
    ["5551234", "[<=9999999]###\\-####;(###)\\ ###\\-####", "5551234"],
    ["45323", "[<1]h:mm;d/m/yy", "2024-02-01"],
    ["7", "[=0]000;[=1]00", "7"],
    ["123456789", '0#" "##" "##" "##" "##', "01 23 45 67 89"],
    ["5", '0#" "##" "##" "##" "##', "0    5"],
    ["172", "00######", "00172"],
    ["5", "0#", "05"],
    ["1.5", "0.0##", "1.5"],
    ["7", "[>=0]000;-000", "007"],
    ["7", "$000", "007"],
    ["7", "000\\ ;(000)", "007"],
    ["7", '00.0" kg"', "7"],
    ["7", "#000", "007"],
    ["7", "0", "7"],
    ["1234", "#,##0", "1234"],
    ["0.25", "0%", "0.25"],
  ])("%s in %s is %s", (stored, code, text) => {
    expect(shown(stored, code)).toBe(text);
  });

  it.each([
    ["45323", "m/d/yyyy", "2024-02-01"],
    ["45323.5729166667", "dd.mm.yy hh:mm", "2024-02-01T13:45:00"],
    ["45323", "[$-F800]dddd\\,\\ mmmm\\ dd", "2024-02-01"],
    ["0.572916666666667", "h:mm", "13:45:00"],
    ["0.572916666666667", "d/m/yy h:mm", "13:45:00"],
    ["0.0000057870", "h:mm:ss.000", "00:00:00.500"],
    ["1.5", "[h]:mm", "36:00:00"],
    ["-0.5", "[h]:mm", "-12:00:00"],
    ["1", "d/m/yy", "1900-01-01"],
    ["59", "d/m/yy", "1900-02-28"],
    ["61", "d/m/yy", "1900-03-01"],
    ["5", '0 "days"', "5"],
  ])("%s in %s is %s", (stored, code, text) => {
    expect(shown(stored, code)).toBe(text);
  });

  it.each<[string, string, DateSystem]>([
    ["-18135", "d/m/yy", "1900"],
    ["0", "d/m/yy", "1900"],
    ["2958466", "d/m/yy", "1900"],
    ["-1402", "d/m/yy", "1904"],
    ["2957004", "d/m/yy", "1904"],
  ])("%s in %s is no day of those from %s on", (stored, code, system) => {
    expect(readNumber(stored, displayOfCode(code), system)).toEqual({
      text: shown(stored),
      flaw: expect.stringContaining(`none from ${system}-01-01 to 9999-12-31`),
    });
  });

  it.each([
    ["60", "d/m/yy"],
    ["60.75", "d/m/yy h:mm"],
  ])("%s in %s is a day that never was, but not in every workbook", (stored, code) => {
    expect(readNumber(stored, displayOfCode(code), "1900")).toMatchObject({
      flaw: expect.stringContaining("stands for 1900-02-29, which never existed"),
    });
    expect(shown(stored, code, "1904")).toMatch(/^1904-03-01/);
  });

  it("days from 1904", () => {
    expect(shown("0", "d/m/yy", "1904")).toBe("1904-01-01");
    expect(shown("43861.5", "d/m/yy", "1904")).toBe("2024-02-01T12:00:00");
    expect(shown("0.5", "d/m/yy h:mm", "1904")).toBe("1904-01-01T12:00:00");
    expect(shown("0.5", "h:mm", "1904")).toBe("12:00:00");
  });

  it("formats that have only a number", () => {
    const text = (id: number) => readNumber("45323.5", builtinForm(id), "1900")?.text;
    expect([0, 1, 9, 14, 20, 22, 46, 49].map(text)).toEqual([
      ...["45323.5", "45323.5", "45323.5", "2024-02-01T12:00:00", "2024-02-01T12:00:00"],
      ...["2024-02-01T12:00:00", "1087764:00:00", "45323.5"],
    ]);
    const kinds = Array.from({ length: 60 }, (_, id) => {
      const form = builtinForm(id);
      if (form.kind !== "moment") return form.kind === "duration" ? "s" : "-";
      return form.hasDay ? (form.hasTime ? "b" : "d") : "t";
    });
    // By tens: of 27 to 36 and from 50 on those of East Asia.
    expect(kinds.join("").match(/.{10}/g)).toEqual([
      ...["----------", "----ddddtt", "ttb----ddd", "ddttttd---", "-----tst--", "ddddddddd-"],
    ]);
  });
});
