import { expect, test } from "vitest";
import { loadMapping } from "../../src/mapping/load-mapping.ts";

const load = (input: string) =>
  loadMapping(`version: 1\nresource: users\nevent: x\ninput: ${input}\nmembers: { a: A }\n`);

test("says how inputs are read", () => {
  const loaded = load(
    "{ encoding: windows-1252, delimiter: tab, sheet: 2, skip_lines: 3, no_header: true }",
  );
  expect(loaded).toMatchObject({
    mapping: {
      spec: {
        reading: {
          ...{ encoding: "windows-1252", delimiter: "\t", sheet: "2", skipLines: 3, header: false },
        },
      },
    },
  });
});

test.each([
  ["{ encoding: klingon }", "input.encoding", "is not a known encoding"],
  ['{ delimiter: "\\n" }', "input.delimiter", "cannot hold a line end"],
  ["{ skip_lines: -1 }", "input.skip_lines", ""],
  ["{ skiplines: 1 }", "input.skiplines", "skip_lines"],
  ["3", "input", ""],
])("%s is refused", (input, path, message) => {
  const loaded = load(input);
  expect(loaded).toMatchObject({
    kind: "invalid",
    problems: [{ path, message: expect.stringContaining(message) }],
  });
});
