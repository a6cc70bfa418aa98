import { InputDamagedError, reasonOf } from "../model/errors.ts";
import { type Row, writtenChars } from "../model/row.ts";
import { countLineBreaks } from "./csv-record.ts";

/** The beginning of a stream, looked at before it is passed on with the rest. */
export interface LookAhead {
  /** What has been read and not been dropped. */
  readonly head: Buffer;
  /** Whether nothing follows it, or what follows cannot be read. */
  readonly isWhole: boolean;
  /** The error that ended the reading, if one did. */
  readonly broken: { readonly error?: unknown } | undefined;
  /** Reads a chunk more. */
  more(): Promise<void>;
  /** Reads on until there are so many bytes, or no more. */
  fill(bytes: number): Promise<void>;
  /** Drops bytes at the beginning. */
  drop(bytes: number): void;
  /** Everything from the beginning on, without the first bytes; an error comes after what was read before it. */
  all(without?: number): AsyncGenerator<Buffer>;
}

export function lookAhead(chunks: AsyncIterable<Buffer>): LookAhead {
  const iterator = chunks[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  let end: { readonly error?: unknown } | undefined;
  return {
    get head() {
      return head;
    },
    get isWhole() {
      return end !== undefined;
    },
    get broken() {
      return end !== undefined && "error" in end ? end : undefined;
    },
    async more() {
      try {
        const next = await iterator.next();
        if (next.done === true) end = {};
        else head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
      } catch (error) {
        end = { error };
      }
    },
    async fill(bytes) {
      while (head.length < bytes && end === undefined) await this.more();
    },
    drop(bytes) {
      head = head.subarray(bytes);
    },
    async *all(without = 0) {
      const take = () => {
        const taken = head.subarray(without);
        head = Buffer.alloc(0); // nothing of it is kept while the rest is read
        return taken;
      };
      if (head.length > without) yield take();
      if (end === undefined) yield* { [Symbol.asyncIterator]: () => iterator };
      else if ("error" in end) throw end.error;
    },
  };
}

/**
 * Reads the first items of a stream until there is enough to decide, or no more.
 *
 * @param items those that were read already
 */
export async function readAhead<Item>(
  source: AsyncGenerator<Item>,
  isEnough: (items: readonly Item[]) => boolean,
  items: Item[] = [],
) {
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
    items: items as readonly Item[],
    /** These items and the rest, once; an error comes after what was read before it. None is kept. */
    async *all(): AsyncGenerator<Item> {
      while (items.length > 0) yield items.shift() as Item;
      if (broken !== undefined) throw broken.error;
      yield* source;
    },
  };
}

/**
 * The first rows, so many or as many as hold a MiB: a few long ones show as much as they can.
 *
 * @returns undefined if there are not enough
 */
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

/**
 * Why nothing can be read from this line on, where a row starts.
 *
 * @param text what could be read from there
 */
export function unreadable(error: unknown, line: number, text: Buffer): InputDamagedError {
  if (!(error instanceof EncodingError)) {
    const why = `cannot be read (${reasonOf(error)}): check the file or its disk.`;
    return new InputDamagedError(line, `line ${line} and what follows ${why}`);
  }
  const at = line + countLineBreaks(text.toString());
  const inRow = at === line ? "" : ` It is in the row that starts on line ${line}.`;
  return new InputDamagedError(line, `line ${at} ${error.message}${inRow}`);
}
