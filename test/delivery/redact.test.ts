import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedact, mask } from "../../src/delivery/http/redact.ts";

/** What cannot be a part of a secret, so that all of the secret has to go and nothing else. */
const around = fc.string({
  unit: fc.constantFrom(" ", "ä", "é", "\n", "€", "漢"),
  maxLength: 12,
});
/** The characters of RFC 6750, none of which stands for anything else. */
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
  "in a URL in a URL in a URL": each((at) => `%2525${hex(at, 2)}`),
  "as decimal entities": each((at) => `&#${at.charCodeAt(0)};`),
  "as hexadecimal entities": each((at) => `&#x${hex(at, 4)};`),
  "in capitals": (text) => text.toUpperCase(),
  "with what is not seen in between": (text) => [...text].join("\u200b\u00ad\n"),
  "with entities of what is not seen": (text) => [...text].join("&ZeroWidthSpace;&#8203;"),
  "with tags in between": (text) => [...text].join('<i class="x"></i>'),
};

describe.each(Object.entries(forms))("a secret %s", (_, escaped) => {
  test("is masked wherever it stands, and nothing else changes", () => {
    fc.assert(
      fc.property(bearerTokens, around, around, (secret, before, after) => {
        const redact = createRedact(secret);
        // Two in a row would be one.
        const text = `${before}${escaped(secret)}${after}é|é${escaped(secret)}`;
        expect(redact(text)).toBe(`${before}${mask}${after}é|é${mask}`);
      }),
      { numRuns: 25 },
    );
  });

  test("is masked where the text is cut within it, three characters or more from its beginning", () => {
    fc.assert(
      fc.property(
        bearerTokens,
        around,
        fc.integer({ min: 0, max: 1000 }),
        (secret, before, part) => {
          const redact = createRedact(secret);
          const whole = escaped(secret);
          const first = escaped(secret.slice(0, 3)).length;
          // Within the last character, a piece of its escape may stay, which tells nothing.
          const last = escaped(secret.slice(0, -1)).length;
          const cut = first + Math.floor((part / 1000) * (last - first));
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
      expect(createRedact(secret)(text)).toBe(text);
    }),
    { numRuns: 20 },
  );
});

test("a text that only begins like it stays, but for one that is cut", () => {
  const redact = createRedact("abcdefgh");
  expect(redact("see abcdef")).toBe("see abcdef");
  expect(redact("see abcdef and more", true)).toBe("see abcdef and more");
  expect(redact("see abcdef", true)).toBe(`see ${mask}`);
  expect(redact("see ab", true)).toBe("see ab");
});

test("a secret of many backslashes does not take for ever to be looked for", () => {
  const secret = `${"\\".repeat(40)}end`;
  const redact = createRedact(secret);
  expect(redact(`${"\\".repeat(15)}none`)).toBe(`${"\\".repeat(15)}none`);
  expect(redact(`"${JSON.stringify(secret).slice(1, -1)}"`)).toBe(`"${mask}"`);
});

describe("a part of a secret", () => {
  const long = fc.stringMatching(/^[\w.~+/=-]{16,60}$/);

  test("of 16 characters or more is masked, wherever it stands, and what is before and after stays", () => {
    const part = fc.tuple(long, fc.nat(), fc.nat()).map(([secret, start, more]) => {
      const from = start % (secret.length - 15);
      const to = from + 16 + (more % (secret.length - 15 - from));
      return [secret, secret.slice(from, to)] as const;
    });
    fc.assert(
      fc.property(part, around, around, ([secret, piece], before, after) => {
        expect(createRedact(secret)(`${before}|${piece}|${after}`)).toBe(
          `${before}|${mask}|${after}`,
        );
      }),
      { numRuns: 50 },
    );
  });

  test("in front of the whole does not save it", () => {
    fc.assert(
      fc.property(bearerTokens, fc.nat(), (secret, count) => {
        const start = secret.slice(0, count % secret.length);
        const redacted = createRedact(secret)(`${start}${secret}!`);
        expect(redacted.endsWith(`${mask}!`)).toBe(true);
        expect(redacted.length).toBeLessThan(16 + mask.length + 1);
      }),
      { numRuns: 50 },
    );
  });

  test("is masked in base64 and hex, wherever that begins", () => {
    fc.assert(
      fc.property(long, fc.string(), fc.string(), (secret, before, after) => {
        const redact = createRedact(secret);
        for (const encoding of ["base64", "base64url", "hex"] as const) {
          const encoded = Buffer.from(`${before}${secret}${after}`).toString(encoding);
          const start = Buffer.from(before).toString(encoding).replaceAll("=", "");
          const end = Buffer.from(after).toString(encoding);
          // Of characters that are the secret's in part, three bits of a letter at most are left.
          const most = start.length + mask.length + end.length + 4;
          expect(redact(`see ${encoded}`).length).toBeLessThanOrEqual(4 + most);
          expect(redact(`see ${encoded}`)).toContain(mask);
        }
      }),
      { numRuns: 50 },
    );
  });
});

test("a short secret is masked in base64, whatever stands around it", () => {
  const redact = createRedact("abcdefgh");
  for (const before of ["", "x", "xy"]) {
    for (const after of ["", "x", "xy"]) {
      const encoded = Buffer.from(`${before}abcdefgh${after}`).toString("base64");
      expect(redact(`see ${encoded}`)).toMatch(/^see .{0,3}\*{8}.{0,6}$/);
    }
  }
});

test("a secret of any length is found, and what is only like it stays", () => {
  const secret = Array.from({ length: 6000 }, (_, at) => ((at * at) % 1009).toString(36)).join("");
  const redact = createRedact(secret);
  expect(redact(`x ${secret} y ${encodeURIComponent(secret)}`)).toBe(`x ${mask} y ${mask}`);
  const almost = secret.replaceAll(/.{15}/g, "$&!");
  expect(redact(almost)).toBe(almost);
});
