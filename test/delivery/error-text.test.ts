import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { errorText as errorTextOf } from "../../src/delivery/http/answer-body.ts";

/** Without a secret in it. */
const errorText = (body: string) => errorTextOf(body, (text) => text);

test("control strings that never end are taken out of what can be read", () => {
  expect(errorText(`\u009d${"\u009d0;a".repeat(3)}`)).toBe("0;a 0;a 0;a");
  expect(errorText("\u009d0;title\u0007no plan\u001b]8;;x\u001b\\ here")).toBe("no plan here");
});

describe("the useful part", () => {
  test.each([
    ['{"message":"no such plan","code":7}', "no such plan"],
    ['{"error":"invalid_token"}', "invalid_token"],
    ['{"error":{"message":"no such plan","type":"x"}}', "no such plan"],
    ['{"type":"about:blank","title":"Bad Request","detail":"no plan"}', "no plan"],
    ['{"errors":[{"detail":"no plan"},{"message":"no name"},{"code":1}]}', "no plan; no name"],
    ['[{"message":"no plan"}]', "no plan"],
    ['"no plan"', "no plan"],
    ['\ufeff {"message":"no plan"}', "no plan"],
    ['{"message":["no plan","no name"],"statusCode":400}', "no plan; no name"],
    ['{"Message":"no plan"}', "no plan"],
    ['{"error":{"error":{"error":{"error":{"error":"no"}}}}}', "no"],
    [
      '{"error":{"error":{"error":{"error":{"error":{"error":"no"}}}}}}',
      '{"error":{"error":{"error":{"error":{"error":{"error":"no"}}}}}}',
    ],
    // What is wrong with single members.
    [
      '{"errors":{"email":["is taken"],"age":["is no number","is missing"]}}',
      "email: is taken; age: is no number; is missing",
    ],
    [
      '{"message":"Validation failed.","errors":[{"field":"email","message":"is taken"}]}',
      "Validation failed: email: is taken",
    ],
    [
      '{"title":"Invalid","invalid-params":[{"name":"age","reason":"no number"}]}',
      "Invalid: age: no number",
    ],
    // Pages of proxies and gateways.
    [
      "<html><head><title>502 Bad Gateway</title></head><body><h1>x</h1></body></html>",
      "502 Bad Gateway x",
    ],
    ["<h1>Bad Gateway</h1>\n<p>No <b>route</b>.", "Bad Gateway No route ."],
    ['<?xml version="1.0"?><Error><Code>7</Code><Message>no plan</Message></Error>', "7 no plan"],
    ["<html", ""],
    ["<plan> is no plan", "<plan> is no plan"],
    ["", ""],
    ["  \n ", ""],
    // JSON in which nothing tells, and JSON that was cut.
    ['{"code":7}', '{"code":7}'],
    ['{"message":"no pl', '{"message":"no pl'],
    ['{"message":null,"error":3}', '{"message":null,"error":3}'],
    ['{"__proto__":{"message":"x"}}', '{"__proto__":{"message":"x"}}'],
  ])("of %s", (body, text) => {
    expect(errorText(body)).toBe(text);
  });

  test("is not looked for without end", () => {
    const deep = `${'{"error":'.repeat(20_000)}"x"${"}".repeat(20_000)}`;
    expect(errorText(deep)).toHaveLength(500);
    expect(errorText("[".repeat(60_000))).toHaveLength(500);
    expect(errorText(JSON.stringify(Array(5000).fill("no")))).toBe(Array(10).fill("no").join("; "));
  });
});

describe("harm", () => {
  test.each([
    ["a line break", "a\r\nb", "a b"],
    ["an escape sequence", "a\u001b[31mb\u001b]0;title\u0007c", "a b c"],
    ["a C1 control sequence", "a\u009b31mb", "a b"],
    ["a turn of direction", "a\u202eb\u2066c", "a b c"],
    ["a byte order mark", "\ufeffa", "a"],
    ["half a character", "a\ud800b", "a b"],
    ["a link in a terminal", "a\u001b]8;;http://x\u001b\\b\u001b]8;;\u001b\\c", "a b c"],
    ["a control string without an end", "a\u001b]0;b", "a ]0;b"],
    ["a separator of lines", "a\u2028b", "a b"],
    ["a formula", "=HYPERLINK(\u0022http://x\u0022)", "'=HYPERLINK(\u0022http://x\u0022)"],
    ["a formula behind space", " \t@SUM(A1)", "'@SUM(A1)"],
  ])("%s is taken out", (_, body, text) => {
    expect(errorText(body)).toBe(text);
    expect(errorText(JSON.stringify({ message: body }))).toBe(text);
  });

  test("none is left of any text, and it is one line of 500 characters at most", () => {
    const nasty = fc.constantFrom(
      "\u001b[2J",
      "\r",
      "\n",
      "\u202e",
      "\ud83d",
      "\u{1f600}",
      "=",
      "+",
    );
    const texts = fc.array(fc.oneof(fc.string({ unit: "binary" }), nasty), { maxLength: 400 });
    fc.assert(
      fc.property(texts, fc.boolean(), (parts, asJson) => {
        const body = parts.join("");
        const text = errorText(asJson ? JSON.stringify({ error: body }) : body);
        expect(text.length).toBeLessThanOrEqual(500);
        expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(text).not.toMatch(/^[=+\-@]/);
        expect(text.trim()).toBe(text);
      }),
    );
  });
});
