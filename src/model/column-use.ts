/** What a mapping does with a column whose cells reach an event or decide its order. */
export interface ColumnUse {
  readonly column: string;
  /** Its place in a row. */
  readonly index: number;
  /** Whether its text is sent, or told apart from others, as it stands. */
  readonly asText: boolean;
  /** Whether space around a cell goes along somewhere. */
  readonly keepsSpace: boolean;
  /** Whether a number is made of its text somewhere, which has no zeros before it. */
  readonly asNumber?: true;
  /** Cells that the mapping gives a meaning of their own, wherever it uses the column. */
  readonly knownCells: ReadonlySet<string>;
  /** A member that holds a cell of this column and nothing else, in its long form. */
  readonly member?: { readonly name: string; readonly spec: Readonly<Record<string, unknown>> };
}
