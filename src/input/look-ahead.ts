import { InputDamagedError, reasonOf } from "../model/errors.ts";
import { type Row, writtenChars } from "../model/row.ts";
import { countLineBreaks } from "./csv-record.ts";

/** The beginning of a stream, looked at before it is passed on with the rest. */
export function lookAhead<Item>(source: AsyncIterable<Item>) {
  const iterator = source[Symbol.asyncIterator]();
  let items: Item[] = [];
  let end: { readonly error?: unknown } | undefined;
  return {
    /** What has been read. To be changed where something of it is not to be passed on. */
    get items() {
      return items;
    },
    set items(left) {
      items = left;
    },
    /** Whether nothing follows the head, or what follows cannot be read. */
    get isWhole() {
      return end !== undefined;
    },
    get broken() {
      return end !== undefined && "error" in end ? end : undefined;
    },
    /** Reads on until there is enough, or no more. */
    async until(isEnough: (items: readonly Item[]) => boolean): Promise<void> {
      while (end === undefined && !isEnough(items)) {
        try {
          const next = await iterator.next();
          if (next.done === true) end = {};
          else items.push(next.value);
        } catch (error) {
          end = { error };
        }
      }
    },
    /** All items, once; an error comes after what was read before it. None is kept. */
    async *all(): AsyncGenerator<Item> {
      for (let item = items.shift(); item !== undefined; item = items.shift()) yield item;
      if (end === undefined) yield* { [Symbol.asyncIterator]: () => iterator };
      else if ("error" in end) throw end.error;
    },
  };
}

export type BytesAhead = ReturnType<typeof bytesAhead>;

export function bytesAhead(chunks: AsyncIterable<Buffer>) {
  const ahead = lookAhead(chunks);
  const head = () => {
    if (ahead.items.length > 1) ahead.items = [Buffer.concat(ahead.items)];
    return ahead.items[0] ?? Buffer.alloc(0);
  };
  return Object.assign(ahead, {
    head,
    fill: (bytes: number) => ahead.until(() => head().length >= bytes),
    drop(bytes: number) {
      ahead.items = [head().subarray(bytes)];
    },
  });
}

/** The first rows, so many or as many as hold a MiB; undefined if there are not enough. */
export function firstOf<Item extends Pick<Row, "cells">>(
  batches: readonly (readonly Item[])[],
  most: number,
): readonly Item[] | undefined {
  const rows = batches.flat();
  let chars = 0;
  const last = rows.findIndex((row, at) => {
    chars += writtenChars(row);
    return at + 1 === most || chars > maxFirstChars;
  });
  return last < 0 ? undefined : rows.slice(0, last + 1);
}

const maxFirstChars = 1024 * 1024;

/** Bytes that are not in their encoding: the end of a sentence that begins with their line. */
export class EncodingError extends Error {}

/** Why nothing can be read from this line on, where a row starts. @param text what could be read from there */
export function unreadable(error: unknown, line: number, text: Buffer): InputDamagedError {
  if (!(error instanceof EncodingError)) {
    const why = `cannot be read (${reasonOf(error)}): check the file or its disk.`;
    return new InputDamagedError(line, `line ${line} and what follows ${why}`);
  }
  const at = line + countLineBreaks(text.toString());
  const inRow = at === line ? "" : ` It is in the row that starts on line ${line}.`;
  return new InputDamagedError(line, `line ${at} ${error.message}${inRow}`);
}
