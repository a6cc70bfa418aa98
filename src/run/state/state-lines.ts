import { isDeepStrictEqual } from "node:util";
import { cannotStart } from "../../model/errors.ts";
import type { Json } from "../../model/event.ts";
import { quoteWhole } from "../../model/row.ts";
import type { Known } from "./known-keys.ts";

/*
 * The state of nights is a log of JSON lines. The first says whose state it is; of the lines of a key, the last counts:
 *
 *   {"eventload_state":1,"base_url":…,"ordering_key":[…],"shard":…}
 *   {"run":…,"results":…,"input":…,"after":…,"missing":…}   a night begins
 *   {"k":["a@example.com"]}                            what the service has of this key is not known
 *   {"k":["a@example.com"],"d":"0123456789abcdef"}     it has the events of this digest
 *   {"k":["a@example.com"],"gone":true}                it has nothing of it
 *   {"end":…}                                          the night is over
 *   {"sum":…}                                          a batch ends, as in every log
 */

/** Whose state it is. */
export interface StateOwner {
  readonly baseUrl: string;
  /** The parts of the mapping's `ordering_key`, with their transforms. */
  readonly orderingKey: readonly Json[];
  /** Of which part of the input: `3/8`, or null for all of it. */
  readonly shard: string | null;
}

export interface Night {
  /** When it began: an ISO 8601 instant. */
  readonly run: string;
  /** Path of its results; absent if it had nothing to send. */
  readonly results?: string;
  readonly input: string;
  /** The `run` of the last night before it that finished. */
  readonly after?: string;
  /** How many keys that the service has its input lacks; absent if none. */
  readonly missing?: number;
}

export interface KeyLine {
  readonly k: readonly string[];
  readonly d?: string;
  readonly gone?: true;
}

interface HeaderLine {
  readonly eventload_state: number;
  readonly base_url: string;
  readonly ordering_key: readonly Json[];
  readonly shard: string | null;
}

/** `end` is an ISO 8601 instant. */
export type StateLine = HeaderLine | Night | { readonly end: string } | KeyLine;

const format = 1;

export function headerLine({ baseUrl, orderingKey, shard }: StateOwner): string {
  const whose = { base_url: baseUrl, ordering_key: orderingKey, shard };
  return `${JSON.stringify({ eventload_state: format, ...whose })}\n`;
}

/** The text of a key is its one cell, or its cells as JSON. */
export function keyOf({ k }: KeyLine): string {
  return k.length === 1 ? (k[0] ?? "") : JSON.stringify(k);
}

export function knownOf({ d, gone }: KeyLine): Known {
  if (gone === true) return { kind: "nothing" };
  return d === undefined ? { kind: "open" } : { kind: "events", digest: d };
}

/** The line of a key, which `keyOf` and `knownOf` read. It is made by hand, as a night writes it for each key. */
export function keyLine(key: string, known: Known, { orderingKey }: StateOwner): string {
  const k = orderingKey.length === 1 ? `[${JSON.stringify(key)}]` : key;
  switch (known.kind) {
    case "nothing":
      return `{"k":${k},"gone":true}\n`;
    case "open":
      return `{"k":${k}}\n`;
    case "events":
      return `{"k":${k},"d":"${known.digest}"}\n`;
    default:
      return known satisfies never;
  }
}

/**
 * Looks at how a file begins.
 *
 * @throws CannotStartError if it is not a state, or one of another version
 */
export function checkBeginning(path: string, text: string): void {
  const [, version] = /^\{"eventload_state":(\d+)[,}]/.exec(text) ?? [];
  if (version === String(format)) return;
  if (text === "") throw cannotStart("state_unreadable", path, "it is empty");
  const why =
    version === undefined
      ? "its first line is not that of a state"
      : "another version of eventload wrote it: use that version";
  throw cannotStart("state_unreadable", path, why);
}

/** @throws CannotStartError if the state is of another owner */
export function checkOwner(path: string, found: HeaderLine, owner: StateOwner): void {
  const wanted = JSON.parse(headerLine(owner)) as HeaderLine;
  for (const [name, what] of ownerMembers) {
    if (isDeepStrictEqual(found[name], wanted[name])) continue;
    const [one = "", other = ""] = [found[name], wanted[name]].map((value) =>
      value === null ? "none" : quoteWhole(value),
    );
    throw cannotStart("state_of_another", path, what, one, other);
  }
}

const ownerMembers = [
  ["base_url", "service"],
  ["ordering_key", "ordering key"],
  ["shard", "shard"],
] as const;
