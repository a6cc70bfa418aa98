/** Where reading an input can continue: the beginning of a record. */
export interface SourcePosition {
  /** Which of several files it is in, and what the files before that one hold; else nothing. */
  readonly file?: {
    /** From 0. */
    readonly index: number;
    readonly rowsBefore: number;
    readonly blankLines: number;
  };
  /** Bytes before it in its file; 0 for the beginning of one. */
  readonly offset: number;
  /** The physical line of its file, from 1. */
  readonly line: number;
  /** Rows before it, counted from the beginning of the input. */
  readonly rowsBefore: number;
  /** Lines with nothing on them before it. */
  readonly blankLines: number;
}
