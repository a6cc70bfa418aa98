import fc from "fast-check";
import { openSource } from "../../src/input/open-source.ts";
import type { InputSpec } from "../../src/input/read-bytes.ts";
import type { Source } from "../../src/input/source.ts";
import { CannotStartError, InputDamagedError } from "../../src/model/errors.ts";
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
  readonly damage?: InputDamagedError;
}

/** Cells may hold anything, so what separates them, and where the header stands, is not to be detected. */
const withCommas = (input: InputSpec) => openSource(input, { delimiter: ",", skipLines: 0 });

export async function readAll(
  input: InputSpec,
  open: (input: InputSpec) => Promise<Source> = withCommas,
): Promise<Reading> {
  const source = await open(input);
  const rows: Row[] = [];
  try {
    for await (const batch of source.batches) rows.push(...batch);
    return { columns: source.columns, rows, blankLines: source.blankLines() };
  } catch (error) {
    if (!(error instanceof InputDamagedError)) throw error;
    return { columns: source.columns, rows, blankLines: source.blankLines(), damage: error };
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
  open: (input: InputSpec) => Promise<Source> = openSource,
): Promise<string> {
  try {
    await (await open(input)).close();
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

const lineEnds = ["\n", "\r\n", "\r"] as const;
const nastyParts = [
  '"',
  ",",
  "\n",
  "\r",
  "\r\n",
  " ",
  "\t",
  ";",
  "\ufeff",
  "é",
  "😀",
  "'",
  "a",
  "0",
];

export const anyCell = fc.oneof(
  { weight: 3, arbitrary: fc.array(fc.constantFrom(...nastyParts), { maxLength: 6 }).map(join) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 6 }).map(withoutNul) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", "00172", "=1+1", "null", '""', "\\", "x".repeat(50)),
  },
);

function withoutNul(text: string): string {
  return text.replaceAll("\0", "");
}

function join(parts: readonly string[]): string {
  return parts.join("");
}

/** A CSV text as any program may have written it, and where its records stand in it. */
export interface Written {
  readonly text: string;
  readonly table: readonly (readonly string[])[];
  /** Of each record, the header included: where it begins, and where its line end begins. */
  readonly records: readonly { readonly begin: number; readonly end: number }[];
}

/**
 * A table written as RFC 4180 has it, with line ends of any kind and quotes also where none are
 * needed. The header is not blank, and its last name is not empty.
 */
export function anyWritten(options: { readonly isRagged?: boolean } = {}): fc.Arbitrary<Written> {
  return fc.integer({ min: options.isRagged ? 2 : 1, max: 4 }).chain((width) => {
    const cells = {
      minLength: options.isRagged ? 1 : width,
      maxLength: options.isRagged ? 6 : width,
    };
    const header = fc.array(anyCell, { minLength: width, maxLength: width });
    const style = fc.record({ lineEnd: fc.constantFrom(...lineEnds), quoteAll: fc.boolean() });
    return fc
      .tuple(
        header.filter((names) => names.at(-1) !== "" && names.some((name) => name.trim() !== "")),
        fc.array(fc.array(anyCell, cells), { maxLength: 6 }),
        fc.array(style, { minLength: 7, maxLength: 7 }),
        fc.boolean(),
        fc.boolean(),
      )
      .map(([names, rows, styles, hasMark, endsWithLine]) =>
        write([names, ...rows], styles, hasMark, endsWithLine),
      );
  });
}

function write(
  table: readonly (readonly string[])[],
  styles: readonly { readonly lineEnd: string; readonly quoteAll: boolean }[],
  hasMark: boolean,
  endsWithLine: boolean,
): Written {
  let text = hasMark ? "\ufeff" : "";
  const records = table.map((cells, index) => {
    const { lineEnd, quoteAll } = styles[index] ?? { lineEnd: "\n", quoteAll: true };
    const begin = text.length;
    text += cells
      .map((cell) => {
        // A cell that would be nothing at all on its line, or a mark, has to be put in quotes too.
        const isRisky = /[",\r\n\ufeff]/.test(cell) || (cells.length === 1 && cell === "");
        return quoteAll || isRisky ? `"${cell.replaceAll('"', '""')}"` : cell;
      })
      .join(",");
    const end = text.length;
    if (index < table.length - 1 || endsWithLine) text += lineEnd;
    return { begin, end };
  });
  return { text, table, records };
}
