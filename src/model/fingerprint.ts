/** Size and hash of a file, by which it is recognized. */
export interface Fingerprint {
  readonly bytes: number;
  /** Hex SHA-256. */
  readonly sha256: string;
}
