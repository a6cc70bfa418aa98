import { createHash } from "node:crypto";
import { cannotStart, reasonOf } from "../model/errors.ts";
import { type EventStatus, isEventStatus } from "../model/outcome.ts";
import { type ResultsColumn, sourceColumn } from "../model/results-columns.ts";

/** Says that a file is not what eventload wrote; why is the end of a sentence. */
export type RefuseResults = (why: string) => Error;

/** A place behind all columns. */
const beforeHeader = 2 ** 30 - 1;

const [quoteByte, comma, lineFeed, zero] = [0x22, 0x2c, 0x0a, 0x30] as const;

/**
 * Reads a file of results as eventload wrote it, a line at a time, and hashes it on the way. Lines are bytes: cells
 * are decoded only where somebody asks for them, so millions of lines can be passed over or copied.
 *
 * A class, because it is an owned resource with a cursor.
 */
export class ResultsReader {
  readonly name: string;
  header: Buffer = Buffer.alloc(0);
  columns: readonly string[] = [];
  /** Number of the row of the line at hand; undefined after the last line. */
  row: number | undefined = undefined;

  readonly #chunks: AsyncIterator<Buffer>;
  readonly #hash = createHash("sha256");
  readonly #refuse: RefuseResults;
  #rowAt = beforeHeader;
  #places: ReadonlyMap<string, number> = new Map();
  /** Where each cell of the line begins, from that of the row on; and where the last one ends. */
  #starts = new Int32Array(0);
  #buffer: Buffer = Buffer.alloc(0);
  /** How much of the buffer is in use, and where the line at hand begins and ends in it. */
  #filled = 0;
  #start = 0;
  #end = 0;
  /** How far the next line has been looked through: up to where, in which column, and in quotes. */
  #scannedTo = 0;
  #scannedColumn = 0;
  #scannedQuote = false;
  #bytes = 0;

  private constructor(chunks: AsyncIterator<Buffer>, name: string, refuse: RefuseResults) {
    this.name = name;
    this.#chunks = chunks;
    this.#refuse = refuse;
  }

  /**
   * Opens a file, and goes to its first line.
   *
   * @param refuse makes the error if it is not as eventload wrote it
   * @throws CannotStartError if it cannot be read, then and later
   */
  static async open(
    chunks: AsyncIterable<Buffer>,
    name: string,
    refuse: RefuseResults,
  ): Promise<ResultsReader> {
    const reader = new ResultsReader(chunks[Symbol.asyncIterator](), name, refuse);
    try {
      await reader.#readHeader();
      await reader.next();
      return reader;
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  async #readHeader(): Promise<void> {
    await this.#readOn();
    this.header = Buffer.from(this.bytes());
    this.columns = cellsOf(this.header.toString("utf8"));
    this.#places = new Map(this.columns.map((name, at) => [name, at]));
    const rowAt = this.#places.get("import_row");
    if (rowAt === undefined || !this.#places.has("import_status")) {
      throw this.#refuse("it is not a results file of eventload");
    }
    this.#rowAt = rowAt;
    this.#starts = new Int32Array(this.columns.length - rowAt + 1);
  }

  get hasSources(): boolean {
    return this.#places.has(sourceColumn);
  }

  /** The columns of the input. */
  get inputColumns(): readonly string[] {
    return this.columns.slice(0, this.#rowAt);
  }

  /** A cell of the line at hand; blank if the file has no such column. */
  cell(column: ResultsColumn): string {
    const at = this.#places.get(column);
    if (at === undefined) return "";
    const text = this.#buffer.toString("utf8", this.#startOf(at), this.#startOf(at + 1) - 1);
    return text.startsWith('"') ? (cellsOf(text)[0] ?? "") : text;
  }

  get status(): EventStatus | undefined {
    const status = this.cell("import_status");
    if (status === "" || isEventStatus(status)) return status === "" ? undefined : status;
    throw this.#refuse(`a line of row ${this.row} has a status that eventload does not write`);
  }

  /** Attempts of the event, and those of them without an answer. */
  get attempts(): number {
    return this.#number(this.#places.get("import_attempts") ?? 0);
  }

  get unanswered(): number {
    return this.#number(this.#places.get("import_unanswered") ?? 0);
  }

  /** The bytes of the line, with its line feed; good until the next line. */
  bytes(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  cells(): string[] {
    const cells = cellsOf(this.#buffer.toString("utf8", this.#start, this.#end));
    if (cells.length === this.columns.length) return cells;
    throw this.#refuse(`a line of row ${this.row} has another number of cells than its header`);
  }

  /** Those of the input. */
  inputCells(): string[] {
    return cellsOf(this.#buffer.toString("utf8", this.#start, this.#startOf(this.#rowAt) - 1));
  }

  /** Goes to the next line. @returns undefined if it has been read already, as most lines have */
  next(): Promise<void> | undefined {
    return this.#step() ? undefined : this.#readOn();
  }

  /**
   * Passes on the lines of all rows before one, in pieces of many lines.
   *
   * @param take gets bytes that are good until it has returned, or its promise is kept
   * @param see sees each of these lines
   */
  async copyUntil(
    row: number,
    take: (lines: Buffer) => Promise<void> | undefined,
    see: (line: ResultsReader) => void,
  ): Promise<void> {
    let from = this.#start;
    while (this.row !== undefined && this.row < row) {
      see(this);
      if (this.#step()) continue;
      await take(this.#buffer.subarray(from, this.#end));
      await this.#readOn();
      from = this.#start;
    }
    if (from < this.#start) await take(this.#buffer.subarray(from, this.#start));
  }

  get bytesRead(): number {
    return this.#bytes;
  }

  /** What the file is. All its lines must have been read. */
  fingerprint(): { readonly bytes: number; readonly sha256: string } {
    return { bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  #startOf(column: number): number {
    return this.#starts[column - this.#rowAt] ?? 0;
  }

  #number(column: number): number {
    let number = 0;
    const to = this.#startOf(column + 1) - 1;
    for (let at = this.#startOf(column); at < to; at++) {
      const digit = (this.#buffer[at] ?? 0) - zero;
      if (digit < 0 || digit > 9)
        throw this.#refuse(`a line near row ${this.row ?? 0} has no numbers`);
      number = number * 10 + digit;
    }
    return number;
  }

  /** @returns false if the next line is not in the buffer as a whole */
  #step(): boolean {
    const buffer = this.#buffer;
    const from = this.#end;
    const rowAt = this.#rowAt;
    let column = this.#scannedColumn;
    let isQuoted = this.#scannedQuote;
    for (let at = this.#scannedTo; at < this.#filled; at++) {
      const byte = buffer[at];
      if (byte === quoteByte) isQuoted = !isQuoted;
      else if (isQuoted) continue;
      else if (byte === comma) {
        column++;
        if (column >= rowAt) this.#starts[column - rowAt] = at + 1;
      } else if (byte === lineFeed) {
        this.#start = from;
        this.#end = at + 1;
        this.#scannedTo = at + 1;
        this.#scannedColumn = 0;
        this.#scannedQuote = false;
        if (rowAt !== beforeHeader) this.#beginLine(column + 1);
        return true;
      }
    }
    this.#scannedTo = this.#filled;
    this.#scannedColumn = column;
    this.#scannedQuote = isQuoted;
    return false;
  }

  #beginLine(cells: number): void {
    if (cells !== this.columns.length) {
      throw this.#refuse(`a line near row ${this.row ?? 0} has another number of cells`);
    }
    this.#starts[cells - this.#rowAt] = this.#end;
    if (this.#rowAt === 0) this.#starts[0] = this.#start;
    const row = this.#number(this.#rowAt);
    if (row < (this.row ?? 1)) {
      throw this.#refuse(`row ${row} comes after row ${this.row ?? 0}`);
    }
    this.row = row;
  }

  /** Keeps what is left of the buffer at its beginning, and fills it up: a buffer for each chunk would pile up. */
  async #readOn(): Promise<void> {
    const before = this.#end;
    this.#buffer.copyWithin(0, before, this.#filled);
    this.#filled -= before;
    this.#scannedTo -= before;
    for (const [at, start] of this.#starts.entries()) this.#starts[at] = start - before;
    this.#start = 0;
    this.#end = 0;
    while (true) {
      const chunk = await this.#nextChunk();
      if (chunk === undefined) {
        if (this.#rowAt === beforeHeader) throw this.#refuse("it has no header");
        if (this.#filled > 0) throw this.#refuse("its last line is cut off");
        this.row = undefined;
        return;
      }
      this.#hash.update(chunk);
      this.#bytes += chunk.length;
      this.#fill(chunk);
      if (this.#step()) return;
    }
  }

  #fill(chunk: Buffer): void {
    const filled = this.#filled + chunk.length;
    if (filled > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(2 * filled);
      this.#buffer.copy(larger, 0, 0, this.#filled);
      this.#buffer = larger;
    }
    chunk.copy(this.#buffer, this.#filled);
    this.#filled = filled;
  }

  /** @throws CannotStartError if it cannot be read */
  async #nextChunk(): Promise<Buffer | undefined> {
    try {
      const { value, done } = await this.#chunks.next();
      return done === true ? undefined : value;
    } catch (error) {
      throw cannotStart("input_unreadable", this.name, reasonOf(error));
    }
  }
}

/** The cells of a line of CSV (RFC 4180) as `toCsv` writes it, with its line feed or without. */
export function cellsOf(line: string): string[] {
  const text = line.endsWith("\n") ? line.slice(0, -1) : line;
  if (!text.includes('"')) return text.split(",");
  const cells: string[] = [];
  for (let at = 0; at <= text.length; at++) {
    if (text[at] !== '"') {
      const comma = text.indexOf(",", at);
      const end = comma < 0 ? text.length : comma;
      cells.push(text.slice(at, end));
      at = end;
      continue;
    }
    let end = at + 1;
    while (end < text.length && (text[end] !== '"' || text[end + 1] === '"')) {
      end += text[end] === '"' ? 2 : 1;
    }
    cells.push(text.slice(at + 1, end).replaceAll('""', '"'));
    at = end + 1;
  }
  return cells;
}
