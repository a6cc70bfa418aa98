import { digestOf } from "./hash-table.ts";

/** One of several runs that divide an input between them. */
export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly count: number;
}

/** More shards would be a mistake: each of them reads the whole input. */
const maxShards = 10_000;

/** Reads `3/8`. @returns undefined if it is no shard */
export function parseShard(text: string): Shard | undefined {
  const [, index = "", count = ""] = /^(\d{1,5})\/(\d{1,5})$/.exec(text.trim()) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  return isShard(shard) ? shard : undefined;
}

export function isShard({ index, count }: Shard): boolean {
  const isWhole = Number.isInteger(index) && Number.isInteger(count);
  return isWhole && index >= 1 && index <= count && count <= maxShards;
}

export function shardName({ index, count }: Shard): string {
  return `${index}-of-${count}`;
}

/**
 * Whether a row belongs to a shard: all rows of an ordering key to the same one, as they are sent in their
 * order, and rows without a key in turn.
 *
 * @param row its number in the whole input, from 1
 */
export function isInShard(
  { index, count }: Shard,
  orderingKey: string | undefined,
  row: number,
): boolean {
  const number = orderingKey === undefined ? row - 1 : digestOf(orderingKey).low;
  return number % count === index - 1;
}
