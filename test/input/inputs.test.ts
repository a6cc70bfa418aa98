import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { InputSpec } from "../../src/input/read-bytes.ts";
import { CannotStartError, cannotStart } from "../../src/model/errors.ts";
import type { Reading } from "../../src/model/reading.ts";
import { type Reading as Contents, cut, readAll, streamOf } from "./given-bytes.ts";

/** Each folder of `fixtures/inputs` is a test: `input.*`, read as `reading.json` says, gives what `expected.json` has. */
const inputs = fileURLToPath(new URL("../../fixtures/inputs", import.meta.url));

/** What `expected.json` says. */
interface Expected {
  /** What the folder is for. */
  readonly about: string;
  readonly columns?: readonly string[];
  readonly rows?: readonly ExpectedRow[];
  readonly blankLines?: number;
  /** What the warnings have to say, in any order. */
  readonly warnings?: readonly string[];
  readonly problem?: Found;
}

interface ExpectedRow {
  readonly line: number;
  readonly cells: readonly string[];
  readonly problem?: Found;
}

/** A problem's code, and what its message has to say. */
interface Found {
  readonly code: string;
  readonly says: readonly string[];
}

/** What came of an input. */
interface Outcome extends Partial<Omit<Contents, "damage">> {
  readonly refused?: Pick<CannotStartError, "code" | "message"> | undefined;
}

async function read(input: InputSpec, reading: Reading): Promise<Outcome> {
  try {
    const { columns, rows, blankLines, warnings, damage } = await readAll(input, reading);
    const refused = damage && cannotStart("input_damaged", input.name, damage.message);
    return { columns, rows, blankLines, warnings, refused };
  } catch (error) {
    if (!(error instanceof CannotStartError)) throw error;
    return { refused: error };
  }
}

const saying = ({ code, says }: Found) => ({
  code,
  message: expect.toSatisfy((message: string) => says.every((part) => message.includes(part))),
});

const folders = readdirSync(inputs);

test("the folders are found", () => {
  expect(folders.length).toBeGreaterThanOrEqual(60);
});

test.each(folders)("%s", async (folder) => {
  const files = readdirSync(join(inputs, folder));
  const fileOf = (name: string) => files.find((file) => file.startsWith(name));
  const json = (name: string) => JSON.parse(readFileSync(join(inputs, folder, name), "utf8"));
  const path = join(inputs, folder, fileOf("input.") ?? "");
  const reading: Reading = fileOf("reading.json") === undefined ? {} : json("reading.json");
  const expected: Expected = json("expected.json");
  expectOutcome(await read({ kind: "file", path, name: "input" }, reading), expected);
  // A workbook has to be a file.
  if (/\.(xlsx|ods)$/.test(path)) return;
  const bytes = readFileSync(path);
  const pieces = cut(bytes, [bytes.length < 4096 ? 1 : 61]);
  expectOutcome(await read({ ...streamOf(...pieces), name: "input" }, reading), expected);
});

function expectOutcome(outcome: Outcome, { warnings: said = [], ...expected }: Expected) {
  const { columns, rows, blankLines, problem } = expected;
  const { refused, warnings = [], ...found } = outcome;
  if (problem !== undefined) {
    expect(refused).toMatchObject(saying(problem));
    return;
  }
  expect(refused).toBeUndefined();
  const wanted = rows?.map(({ problem, ...row }, index) => ({
    ...{ row: index + 1, ...row },
    ...(problem && { problem: expect.objectContaining(saying(problem)) }),
  }));
  expect(found).toEqual({ columns, rows: wanted, blankLines });
  for (const what of said) expect(warnings.join("\n")).toContain(what);
}
