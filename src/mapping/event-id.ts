import { hash } from "node:crypto";

/** The namespace of eventload's ids. A change of it would change every id. */
const namespace = Buffer.from("7d0f6c0e6f5c4f0a9b7c2f3f0f6c8a51", "hex");

/**
 * The id of an event: a UUID version 5 (RFC 9562, section 5.5). The same event has the same id in
 * every attempt, retry and second import of the same file. A fixed cell changes it.
 *
 * Every event needs one, and the `uuid` package takes six times as long; a test compares the two.
 *
 * @param input identity of the original input, 16 hex digits
 * @param row number of the row, from 1
 * @param index which of the mapping's events it is, from 1
 * @param content JSON text of the body without its `meta` members, after the method if that is not POST
 */
export function eventId(input: string, row: number, index: number, content: string): string {
  const digest = hash("sha1", inNamespace(`${input}\n${row}\n${index}\n`, content), "hex");
  const variant = "89ab"[Number.parseInt(digest.charAt(16), 16) % 4];
  const begin = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}`;
  return `${begin}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}

const maxBytesPerUnit = 3; // of a UTF-16 code unit in UTF-8
/** Used again and again. A longer name than most has a buffer of its own, so that none is kept for it. */
const bytes = Buffer.concat([namespace], 64 * 1024);

/** The bytes of the namespace, a place and a content; valid until the next call. */
function inNamespace(place: string, content: string): Buffer {
  const most = namespace.length + maxBytesPerUnit * (place.length + content.length);
  if (most > bytes.length) return Buffer.concat([namespace, Buffer.from(place + content)]);
  const placeEnd = namespace.length + bytes.write(place, namespace.length);
  return bytes.subarray(0, placeEnd + bytes.write(content, placeEnd));
}
