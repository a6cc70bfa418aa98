import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openSource } from "../../src/input/open-source.ts";
import type { InputSpec } from "../../src/input/read-bytes.ts";
import { CannotStartError, cannotStart } from "../../src/model/errors.ts";
import type { Reading } from "../../src/model/reading.ts";
import { runCheck } from "../../src/run/state/check-with-state.ts";
import { type Reading as Contents, cut, readAll, streamOf } from "./given-bytes.ts";

/**
 * Each folder of `fixtures/inputs` is a test: `input.*` is read as `reading.json` says, and has to
 * give what `expected.json` has. One with a `mapping.yaml` is checked with it.
 */
const inputs = fileURLToPath(new URL("../../fixtures/inputs", import.meta.url));

/** What `expected.json` says. */
interface Expected {
  /** What the folder is for. */
  readonly about: string;
  readonly columns?: readonly string[];
  readonly rows?: readonly ExpectedRow[];
  readonly blankLines?: number;
  readonly problem?: Found & { readonly details?: readonly string[] };
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

interface Given {
  readonly path: string;
  readonly reading: Reading;
  readonly mapping: string | undefined;
  readonly expected: Expected;
}

function given(folder: string): Given {
  const files = readdirSync(join(inputs, folder));
  const file = files.find((name) => name.startsWith("input."));
  if (file === undefined) throw new Error(`${folder} has no input`);
  const json = (name: string) => JSON.parse(readFileSync(join(inputs, folder, name), "utf8"));
  const mapping = join(inputs, folder, "mapping.yaml");
  return {
    path: join(inputs, folder, file),
    reading: files.includes("reading.json") ? json("reading.json") : {},
    mapping: existsSync(mapping) ? mapping : undefined,
    expected: json("expected.json"),
  };
}

/** What came of an input. */
interface Outcome extends Partial<Omit<Contents, "damage">> {
  readonly refused?: Pick<CannotStartError, "code" | "message" | "details"> | undefined;
}

async function read(input: InputSpec, reading: Reading): Promise<Outcome> {
  try {
    const { columns, rows, blankLines, damage } = await readAll(input, (spec) =>
      openSource(spec, reading),
    );
    const refused = damage && cannotStart("input_damaged", input.name, damage.message);
    return { columns, rows, blankLines, refused };
  } catch (error) {
    if (!(error instanceof CannotStartError)) throw error;
    return { refused: error };
  }
}

async function check(input: string, mapping: string, reading: Reading): Promise<Outcome> {
  try {
    await runCheck({ input, mapping, reading });
    return {};
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
  const { path, reading, mapping, expected } = given(folder);
  if (mapping !== undefined) return expectOutcome(await check(path, mapping, reading), expected);
  expectOutcome(await read({ kind: "file", path, name: "input" }, reading), expected);
  const bytes = readFileSync(path);
  const pieces = cut(bytes, [bytes.length < 4096 ? 1 : 61]);
  expectOutcome(await read({ ...streamOf(...pieces), name: "input" }, reading), expected);
});

function expectOutcome(outcome: Outcome, { columns, rows, blankLines, problem }: Expected) {
  const { refused, ...found } = outcome;
  if (problem !== undefined) {
    expect(refused).toMatchObject(saying(problem));
    const details = refused?.details.join("\n");
    for (const detail of problem.details ?? []) expect(details).toContain(detail);
    return;
  }
  expect(refused).toBeUndefined();
  const wanted = rows?.map(({ problem, ...row }, index) => ({
    ...{ row: index + 1, ...row },
    ...(problem && { problem: expect.objectContaining(saying(problem)) }),
  }));
  expect(found).toEqual({ columns, rows: wanted, blankLines });
}
