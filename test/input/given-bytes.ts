import fc from "fast-check";
import { openSource } from "../../src/input/open-source.ts";
import type { InputSpec } from "../../src/input/read-bytes.ts";
import type { Source } from "../../src/input/source.ts";
import { CannotStartError, InputDamagedError } from "../../src/model/errors.ts";
import type { Reading as Options } from "../../src/model/reading.ts";
import type { Row } from "../../src/model/row.ts";

/** Bytes as a stream gives them, or an error in their place. */
export type Piece = string | Uint8Array | Error;

export function streamOf(...pieces: readonly Piece[]): InputSpec {
  async function* stream() {
    for (const piece of pieces) {
      if (piece instanceof Error) throw piece;
      yield Buffer.from(piece as Uint8Array);
    }
  }
  return { kind: "stream", stream: stream(), name: "people.csv" };
}

/** Everything that a source gives, up to its end or its damage. */
export interface Reading {
  readonly columns: readonly string[];
  readonly rows: Row[];
  readonly blankLines: number;
  readonly warnings: readonly string[];
  readonly damage?: InputDamagedError;
}

/** With which options an input is opened, or by what. */
type How<Opened = Source> = Options | ((input: InputSpec) => Promise<Opened>);

const open = <Opened>(input: InputSpec, how: How<Opened>) =>
  typeof how === "function" ? how(input) : openSource(input, how);

/** Cells may hold anything, so what separates them, and where the header stands, is not to be detected. */
const withCommas: Options = { delimiter: ",", skipLines: 0 };

export async function readAll(input: InputSpec, how: How = withCommas): Promise<Reading> {
  const source = await open(input, how);
  const { columns, warnings } = source;
  const rows: Row[] = [];
  const read = () => ({ columns, rows, warnings, blankLines: source.blankLines().all });
  try {
    for await (const batch of source.batches) rows.push(...batch);
    return read();
  } catch (error) {
    if (!(error instanceof InputDamagedError)) throw error;
    return { ...read(), damage: error };
  } finally {
    await source.close();
  }
}

/** Rows of a text given in one piece. */
export async function rowsOf(text: string): Promise<Row[]> {
  return (await readAll(streamOf(text))).rows;
}

/** The sentence with which an input is refused. */
export async function refusal(
  input: InputSpec,
  how: How<Pick<Source, "close">> = {},
): Promise<string> {
  try {
    await (await open(input, how)).close();
  } catch (error) {
    if (error instanceof CannotStartError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "opened";
}

/** Cuts bytes into pieces; the sizes are used over and over. */
export function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

export const anySizes = fc.oneof(
  fc.constant([1]),
  fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
  fc.constant([100_000]),
);

const nastyParts = [
  ...['"', ",", "\n", "\r", "\r\n", " ", "\t", ";", "\ufeff", "é", "😀", "'", "a", "0"],
];

export const anyCell = fc.oneof(
  { weight: 3, arbitrary: fc.array(fc.constantFrom(...nastyParts), { maxLength: 6 }).map(join) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 6 }).map(asText) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", "00172", "=1+1", "null", '""', "\\", "x".repeat(50)),
  },
);

/** Without what no text has, or only at its end. */
function asText(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, "");
}

function join(parts: readonly string[]): string {
  return parts.join("");
}
