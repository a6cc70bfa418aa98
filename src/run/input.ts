import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { cannotStart } from "../model/errors.ts";
/**
 * What is read: a path, several, or the bytes of something that can be read once, such as standard
 * input. The files of several paths are one input, their rows numbered through.
 */
export type Input = string | readonly string[] | AsyncIterable<Uint8Array>;

/** Whether it can be read only once. */
export function isStream(input: Input): input is AsyncIterable<Uint8Array> {
  return typeof input === "object" && Symbol.asyncIterator in input;
}

/** An input as it was given. */
export interface GivenInput {
  readonly input: Input;
  /** What it is called, where it is one; default its name. */
  readonly inputName?: string;
}

/**
 * The same options, where a path that can be read only once has become a stream: a named pipe,
 * `/dev/stdin`, or what a shell makes of `<(…)`. To read it a first time, if only to look at it,
 * would be to lose it. A list of one path has become that path.
 *
 * @throws CannotStartError where several inputs are given that cannot be several
 */
export async function toInput<Options extends GivenInput>(
  options: Options,
): Promise<Options & GivenInput> {
  const { input, inputName } = options;
  if (isStream(input)) return options;
  const [path, ...rest] = [input].flat();
  if (path === undefined) throw cannotStart("option_invalid", "input", "it names no file");
  if (rest.length > 0) {
    await refuseAsSeveral([path, ...rest], inputName);
    return options;
  }
  if (!(await isReadOnce(path))) return { ...options, input: path };
  return { ...options, input: bytesOf(path), inputName: inputName ?? basename(path) };
}

/** Several inputs are looked at before they are read, and each has a name of its own. */
async function refuseAsSeveral(paths: readonly string[], inputName?: string): Promise<void> {
  if (inputName !== undefined) {
    const why = "it is the name of one input; of several, each is called by its own";
    throw cannotStart("option_invalid", "inputName", why);
  }
  for (const path of paths) {
    if (await isReadOnce(path)) {
      const why = `${path} can be read only once; give it alone, or save it to a file`;
      throw cannotStart("option_invalid", "input", why);
    }
  }
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

/** Whether the input is somebody's file, or the results of an earlier run. */
export type InputKind = "import" | "retry";
