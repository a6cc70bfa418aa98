/** Where reading an input can go on: the beginning of a record. */
export interface SourcePosition {
  /** Bytes before it. */
  readonly offset: number;
  /** The physical line, from 1. */
  readonly line: number;
  /** Rows before it, counted from the beginning of the input. */
  readonly rowsBefore: number;
  /** Lines with nothing on them before it. */
  readonly blankLines: number;
}
