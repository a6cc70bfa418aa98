import { crc32 } from "node:zlib";
import type { Checkpoint, EventRecord } from "../domain/run-record.ts";
import { recordJson } from "./record-json.ts";
import type { RunIdentity } from "./run-identity.ts";

/** A line of the journal. */
export type JournalRecord =
  | { readonly kind: "run"; readonly run: RunIdentity }
  | { readonly kind: "checkpoint"; readonly checkpoint: Checkpoint }
  | EventRecord
  /** All before this offset had reached the disk when the line was written. */
  | { readonly kind: "synced"; readonly offset: number };

/** `<CRC-32 of the JSON text, 8 hex digits> <JSON text>\n` */
export function encodeRecord(record: JournalRecord): string {
  const json = recordJson(record);
  return `${checksum(json)} ${json}\n`;
}

const checksumChars = 8;

/** Reads a line without its line feed; nothing where it is not whole. */
export function decodeRecord(line: Buffer): JournalRecord | undefined {
  if (line.length < checksumChars + 3 || line[checksumChars] !== 0x20) return undefined;
  const json = line.subarray(checksumChars + 1);
  if (line.toString("latin1", 0, checksumChars) !== checksum(json)) return undefined;
  return JSON.parse(json.toString("utf8")) as JournalRecord;
}

function checksum(json: string | Buffer): string {
  return crc32(json).toString(16).padStart(checksumChars, "0");
}
