import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { Readable } from "node:stream";
import { cannotStart, InputDamagedError } from "../../model/errors.ts";
import { toCsv } from "../../results/to-csv.ts";
/**
 * What is read: a path, several, or the bytes of something that can be read once, such as standard
 * input. The files of several paths are one input, their rows numbered through.
 */
export type Input = string | readonly string[] | AsyncIterable<Uint8Array>;

/** Rows as a program has them: texts by the names of the columns, all of which the first row has. */
export type Rows = AsyncIterable<Readonly<Record<string, string>>>;

/** Path of a mapping file, or the text that would be saved there. */
export type GivenMapping = string | { readonly path: string; readonly text: string };

export function isStream(input: Input): input is AsyncIterable<Uint8Array> {
  return typeof input === "object" && Symbol.asyncIterator in input;
}

export interface GivenInput {
  readonly input: Input | Rows;
  /** What a single file is called; default its name. */
  readonly inputName?: string | undefined;
}

/**
 * The options, in which a path that can be read only once has become a stream: a named pipe,
 * `/dev/stdin`, or what a shell makes of `<(…)`. To read it a first time, if only to look at it,
 * would be to lose it. A list of one path has become that path.
 *
 * @throws CannotStartError if several inputs are given that cannot be several
 */
export async function toInput<Options extends GivenInput>(
  options: Options,
): Promise<
  Omit<Options, "input"> & { readonly input: Input; readonly inputName?: string | undefined }
> {
  const { input, inputName } = options;
  if (typeof input === "object" && Symbol.asyncIterator in input) {
    const isBytes = input instanceof Readable && !input.readableObjectMode;
    return { ...options, input: isBytes ? input : csvOf(input) };
  }
  const [path, ...rest] = [input].flat();
  if (path === undefined) throw cannotStart("option_invalid", "input", "it names no file");
  for (const one of rest.length > 0 ? [path, ...rest] : []) {
    if (!(await isReadOnce(one))) continue;
    const why = `${one} can be read only once; give it alone, or save it to a file`;
    throw cannotStart("option_invalid", "input", why);
  }
  // Of several, each is called by its own name.
  if (rest.length > 0) return { ...options, input: [path, ...rest], inputName: undefined };
  if (!(await isReadOnce(path))) return { ...options, input: path };
  return { ...options, input: bytesOf(path), inputName: inputName ?? basename(path) };
}

/** Where nothing can be detected about a path, reading it will say why. */
async function isReadOnce(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/** Opens the file when the first bytes are asked for: until then a run may end without. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path) as AsyncIterable<Buffer>;
}

/** Whether the input is somebody's file, or the results of an earlier run. */
export type InputKind = "import" | "retry";

/** Bytes as they are, and rows as CSV. */
async function* csvOf(items: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  let columns: readonly string[] | undefined;
  let row = 0;
  for await (const item of items) {
    if (item instanceof Uint8Array) {
      yield item;
      continue;
    }
    const cells = item as Readonly<Record<string, string>>;
    row++;
    if (columns === undefined) {
      columns = Object.keys(cells);
      yield Buffer.from(toCsv([columns]));
    }
    const known = columns;
    const unknown = Object.keys(cells).find((name) => !known.includes(name));
    if (unknown !== undefined) {
      throw new InputDamagedError(
        row + 1,
        `row ${row} has a column that the first row does not have: ${unknown}`,
      );
    }
    const cellOf = (name: string) => (Object.hasOwn(cells, name) ? String(cells[name] ?? "") : "");
    yield Buffer.from(toCsv([columns.map(cellOf)]));
  }
}
