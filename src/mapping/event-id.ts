import { createHash } from "node:crypto";

/** The namespace of eventload's ids. A change of it would change every id. */
const namespace = Buffer.from("7d0f6c0e6f5c4f0a9b7c2f3f0f6c8a51", "hex");

/**
 * The id of an event: a UUID version 5 (RFC 9562, section 5.5). The same event has the same id in
 * every attempt, retry and second import of the same file; a mended one has another.
 *
 * Every event needs one, and the `uuid` package takes six times as long; a test compares the two.
 *
 * @param input identity of the original input, 16 hex digits
 * @param row number of the row, from 1
 * @param index which of the mapping's events it is, from 1
 * @param data JSON text of the body without its `meta` members
 */
export function eventId(input: string, row: number, index: number, data: string): string {
  const name = `${input}\n${row}\n${index}\n${data}`;
  const digest = createHash("sha1").update(namespace).update(name).digest("hex");
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 0b0011) | 0b1000).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `5${digest.slice(13, 16)}`,
    variant + digest.slice(17, 20),
    digest.slice(20, 32),
  ].join("-");
}
