/** What a mapping does with a column whose cells reach an event or decide its order. */
export interface ColumnUse {
  readonly column: string;
  /** Its place in a row. */
  readonly index: number;
  /** Whether its text is sent or compared as it is. */
  readonly asText: boolean;
  /** Whether space around a cell is sent anywhere. */
  readonly keepsSpace: boolean;
  /** Whether a function makes the events, so that nobody sees what becomes of the text. */
  readonly byFunction?: true;
  /** Whether its text becomes a number anywhere, which loses leading zeros. */
  readonly asNumber?: true;
  /** Whether its text is filled from the left wherever it is used: lost leading zeros come back. */
  readonly isPadded?: true;
  /** Cells that the mapping gives a meaning of their own, wherever it uses the column. */
  readonly knownCells: ReadonlySet<string>;
  /** A member that holds a cell of this column and nothing else, in its long form. */
  readonly member?: { readonly name: string; readonly spec: Readonly<Record<string, unknown>> };
}
