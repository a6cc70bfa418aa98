/** What came first, and what passes all of it on. */
export interface ReadAhead<Item> {
  readonly items: readonly Item[];
  /** The same again with the rest; an error stands after what came before it. */
  all(): AsyncGenerator<Item>;
}

/** Reads until there is enough to decide by, or no more. */
export async function readAhead<Item>(
  source: AsyncGenerator<Item>,
  isEnough: (items: readonly Item[]) => boolean,
): Promise<ReadAhead<Item>> {
  const items: Item[] = [];
  let broken: { readonly error: unknown } | undefined;
  try {
    while (!isEnough(items)) {
      const next = await source.next();
      if (next.done === true) break;
      items.push(next.value);
    }
  } catch (error) {
    broken = { error };
  }
  return {
    items,
    async *all() {
      yield* items;
      if (broken !== undefined) throw broken.error;
      yield* source;
    },
  };
}
