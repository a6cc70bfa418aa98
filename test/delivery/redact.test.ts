import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedact } from "../../src/delivery/redact.ts";

const mask = "********";

/** What cannot be a part of a secret, so that all of the secret has to go and nothing else. */
const around = fc.string({
  unit: fc.constantFrom(" ", "ä", "é", "\n", "€", "漢"),
  maxLength: 12,
});
/** The characters of RFC 6750: a backslash could be taken for the beginning of an escape. */
const bearerTokens = fc.stringMatching(/^[\w.~+/=-]{8,60}$/);
const secrets = fc.stringMatching(/^[\x21-\x7e]{8,60}$/);
const hex = (text: string, digits: number) => text.charCodeAt(0).toString(16).padStart(digits, "0");
const each = (form: (at: string) => string) => (text: string) => [...text].map(form).join("");

const forms: Record<string, (text: string) => string> = {
  "as it is": (text) => text,
  "in JSON": (text) => JSON.stringify(text).slice(1, -1),
  "in JSON in JSON": (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
  "as code units": each((at) => `\\u${hex(at, 4)}`),
  "as code units in capitals": each((at) => `\\u${hex(at, 4).toUpperCase()}`),
  "in a URL": encodeURIComponent,
  "in a URL, each character": each((at) => `%${hex(at, 2)}`),
  "as decimal entities": each((at) => `&#${at.charCodeAt(0)};`),
  "as hexadecimal entities": each((at) => `&#x${hex(at, 4)};`),
};

describe.each(Object.entries(forms))("a secret %s", (_, escaped) => {
  test("is masked wherever it stands, and nothing else changes", () => {
    fc.assert(
      fc.property(secrets, around, around, (secret, before, after) => {
        const redact = createRedact(secret, mask);
        const text = `${before}${escaped(secret)}${after}${escaped(secret)}`;
        expect(redact(text)).toBe(`${before}${mask}${after}${mask}`);
      }),
      { numRuns: 25 },
    );
  });

  test("is masked where the text is cut within it, three characters or more from its beginning", () => {
    fc.assert(
      fc.property(
        bearerTokens,
        around,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (secret, before, part) => {
          const redact = createRedact(secret, mask);
          const whole = escaped(secret);
          const first = escaped(secret.slice(0, 3)).length;
          // Within the last character, a piece of its escape may stay, which tells nothing.
          const last = escaped(secret.slice(0, -1)).length;
          const cut = first + Math.floor(part * (last - first));
          expect(redact(before + whole.slice(0, cut), true)).toBe(before + mask);
        },
      ),
      { numRuns: 25 },
    );
  });
});

test("a text without it stays as it is, whatever it is", () => {
  const texts = fc.oneof(fc.string({ unit: "binary" }), fc.string());
  fc.assert(
    fc.property(secrets, texts, (secret, text) => {
      expect(createRedact(secret, mask)(text)).toBe(text);
    }),
    { numRuns: 20 },
  );
});

test("a text that only begins like it stays, but for one that is cut", () => {
  const redact = createRedact("abcdefgh", mask);
  expect(redact("see abcdef")).toBe("see abcdef");
  expect(redact("see abcdef and more", true)).toBe("see abcdef and more");
  expect(redact("see abcdef", true)).toBe(`see ${mask}`);
  expect(redact("see ab", true)).toBe("see ab");
});

test("a secret of many backslashes does not take for ever to be looked for", () => {
  const secret = `${"\\".repeat(40)}end`;
  const redact = createRedact(secret, mask);
  const almost = `${"\\".repeat(49)}none`;
  expect(redact(almost)).toBe(almost);
  expect(redact(`"${JSON.stringify(secret).slice(1, -1)}"`)).toBe(`"${mask}"`);
});

test("a secret of any length is found, and what is only like it stays", () => {
  const secret = Array.from({ length: 6000 }, (_, at) => "abcdefghij"[(at * 7) % 10]).join("");
  const redact = createRedact(secret, mask);
  expect(redact(`x ${secret} y ${encodeURIComponent(secret)}`)).toBe(`x ${mask} y ${mask}`);
  const almost = `${secret.slice(0, 5000)}!`;
  expect(redact(almost)).toBe(almost);
});
