/** What compressed data may grow to. A bomb is made to grow without end from next to nothing. */
export interface ExpansionLimit {
  readonly maxBytes: number;
  /** So many bytes of any ratio: small data may be blank or repeat itself. */
  readonly freeBytes: number;
  /** Bytes out for each byte in, beyond those. */
  readonly maxRatio: number;
}

const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;

/** Deflate cannot do better than 1032, and a table that is worth importing comes nowhere near. */
const maxRatio = 500;

/** For rows, which pass through and are not kept. */
export const rowsLimit: ExpansionLimit = {
  maxBytes: 64 * gibibyte,
  freeBytes: 64 * mebibyte,
  maxRatio,
};

/** For what describes a workbook, and is read before its rows. */
export const partLimit: ExpansionLimit = {
  maxBytes: 64 * mebibyte,
  freeBytes: 4 * mebibyte,
  maxRatio,
};

/** Why no more should be unpacked; nothing where it is as usual. */
export function excessOf(
  { maxBytes, freeBytes, maxRatio }: ExpansionLimit,
  bytesIn: number,
  bytesOut: number,
): string | undefined {
  if (bytesOut > maxBytes) {
    return `it unpacks to more than ${inMebibytes(maxBytes)}, which is not read`;
  }
  if (bytesOut > freeBytes && bytesOut > maxRatio * bytesIn) {
    return `it unpacks to more than ${maxRatio} times its size (${inMebibytes(bytesOut)} so far), as only data made to do harm does`;
  }
  return undefined;
}

function inMebibytes(bytes: number): string {
  return `${Math.floor(bytes / mebibyte)} MiB`;
}
