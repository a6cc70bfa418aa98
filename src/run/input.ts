/**
 * What is read: a path, several, or the bytes of something that can be read once, such as standard
 * input. The files of several paths are one input, their rows numbered through.
 */
export type Input = string | readonly string[] | AsyncIterable<Uint8Array>;

/** Whether it can be read only once. */
export function isStream(input: Input): input is AsyncIterable<Uint8Array> {
  return typeof input === "object" && Symbol.asyncIterator in input;
}
