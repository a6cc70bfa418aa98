import { v5 } from "uuid";

/** The namespace of eventload's ids. A change of it would change every id. */
const namespace = "7d0f6c0e-6f5c-4f0a-9b7c-2f3f0f6c8a51";

/**
 * The id of an event: a UUID version 5 (RFC 9562, section 5.5). The same event has the same id in
 * every attempt, retry and second import of the same file; a mended one has another.
 *
 * @param input identity of the original input, 16 hex digits
 * @param row number of the row, from 1
 * @param index which of the mapping's events it is, from 1
 * @param data JSON text of the body without its `meta` members
 */
export function eventId(input: string, row: number, index: number, data: string): string {
  return v5(`${input}\n${row}\n${index}\n${data}`, namespace);
}
