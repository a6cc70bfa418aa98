/** Text is packed as it is. */
type Parts = Record<string, string | Buffer>;

export function zipOf(parts: Readonly<Parts>): Buffer;
export function xlsxParts(rows: string, others?: Readonly<Parts>): Parts;
export function odsOf(spreadsheet: string): Buffer;
export function xlsxRow(...texts: readonly string[]): string;
