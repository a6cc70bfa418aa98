import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Input } from "./prepare-input.ts";

/** An input as it was given. */
export interface GivenInput {
  readonly input: Input;
  /** What it is called; default its name. */
  readonly inputName?: string;
}

/**
 * The same options, where a path that can be read only once has become a stream: a named pipe,
 * `/dev/stdin`, or what a shell makes of `<(…)`. To read it a first time, if only to look at it,
 * would be to lose it.
 */
export async function toInput<Options extends GivenInput>(
  options: Options,
): Promise<Options & GivenInput> {
  const { input, inputName } = options;
  if (typeof input !== "string" || !(await isReadOnce(input))) return options;
  return { ...options, input: bytesOf(input), inputName: inputName ?? basename(input) };
}

/** Where nothing can be found out about a path, reading it will say why. */
export async function isReadOnce(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/** Opens it when the first bytes are asked for: until then a run may end without. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path) as AsyncIterable<Buffer>;
}
