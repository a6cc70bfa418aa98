import { createReadStream } from "node:fs";

/** The bytes of a file, a pipe or a device; undefined if there are more than so many, as a device may have no end. */
export async function readSmallFile(path: string, most: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(path, { end: most })) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return bytes.length > most ? undefined : bytes;
}
