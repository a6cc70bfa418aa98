/** How far a check is. */
export interface CheckProgress {
  /** Whether rows are checked, or compared with a baseline before. */
  readonly phase: "check" | "baseline";
  readonly rows: number;
  readonly invalidRows: number;
  readonly bytesRead: number;
  /** Where the size is known beforehand. */
  readonly totalBytes: number | undefined;
  /** Whether all rows that were to be read have been, which may be fewer than there are. */
  readonly isOver?: boolean;
}
