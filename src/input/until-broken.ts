/** What became of chunks that are read. */
export interface ChunksRead {
  broken?: { readonly error: unknown };
}

/** Passes chunks on up to an error, which is kept for after what stood before it. */
export async function* untilBroken(
  chunks: AsyncIterable<Buffer>,
  read: ChunksRead,
): AsyncGenerator<Buffer> {
  try {
    yield* chunks;
  } catch (error) {
    read.broken = { error };
  }
}
