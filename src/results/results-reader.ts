import { createHash } from "node:crypto";
import { cannotStart, reasonOf } from "../model/errors.ts";
import { type EventStatus, eventStatuses } from "../model/outcome.ts";

const statusBytes = eventStatuses.map((status) => ({ status, bytes: Buffer.from(status) }));

/** Says that a file is not what eventload wrote; why is the end of a sentence. */
export type RefuseResults = (why: string) => Error;

const [quoteByte, comma, lineFeed, zero] = [0x22, 0x2c, 0x0a, 0x30] as const;

/**
 * Reads a file of results as eventload wrote it, a line at a time, and hashes it on the way. Lines are bytes: cells
 * are decoded only where somebody asks for them, so millions of lines can be passed over or copied.
 *
 * A class, because it is an owned resource with a cursor.
 */
export class ResultsReader {
  readonly name: string;
  readonly header: Buffer;
  readonly columns: readonly string[];
  /** Number of the row of the line at hand; undefined after the last line. */
  row: number | undefined = undefined;

  readonly #chunks: AsyncIterator<Buffer>;
  readonly #hash = createHash("sha256");
  readonly #refuse: RefuseResults;
  readonly #rowAt: number;
  readonly #statusAt: number;
  /** Where each cell of the line begins, from that of the row on; and where the last one ends. */
  readonly #starts: Int32Array;
  #buffer: Buffer;
  /** How much of the buffer is in use, and where the line at hand begins and ends in it. */
  #filled: number;
  #start = 0;
  #end = 0;
  /** How far the next line has been looked through: up to where, in which column, and in quotes. */
  #scannedTo = 0;
  #scannedColumn = 0;
  #scannedQuote = false;
  #bytes = 0;

  private constructor(name: string, header: Buffer, rest: Rest, refuse: RefuseResults) {
    this.name = name;
    this.header = header;
    this.columns = cellsOf(header.toString("utf8"));
    this.#refuse = refuse;
    this.#rowAt = this.columns.lastIndexOf("import_row");
    this.#statusAt = this.columns.lastIndexOf("import_status");
    if (this.#rowAt < 0 || this.#statusAt < 0) throw refuse("it is no results file of eventload");
    this.#starts = new Int32Array(this.columns.length - this.#rowAt + 1);
    this.#chunks = rest.chunks;
    this.#buffer = rest.buffer;
    this.#filled = rest.buffer.length;
    this.#end = header.length;
    this.#start = header.length;
    this.#scannedTo = header.length;
    this.#count(rest.buffer);
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
    const iterator = chunks[Symbol.asyncIterator]();
    try {
      return await ResultsReader.#begin(iterator, name, refuse);
    } catch (error) {
      await iterator.return?.();
      throw error;
    }
  }

  static async #begin(
    iterator: AsyncIterator<Buffer>,
    name: string,
    refuse: RefuseResults,
  ): Promise<ResultsReader> {
    let buffer: Buffer = Buffer.alloc(0);
    let end = -1;
    while (end < 0) {
      const chunk = await nextOf(iterator, name);
      if (chunk === undefined) throw refuse("it has no header");
      buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk]);
      end = endOfLine(buffer);
    }
    const header = Buffer.from(buffer.subarray(0, end));
    const reader = new ResultsReader(name, header, { buffer, chunks: iterator }, refuse);
    await reader.next();
    return reader;
  }

  get status(): EventStatus | undefined {
    const at = this.#startOf(this.#statusAt);
    const length = this.#startOf(this.#statusAt + 1) - 1 - at;
    if (length === 0) return undefined;
    for (const { status, bytes } of statusBytes) {
      if (bytes.length === length && this.#isAt(bytes, at)) return status;
    }
    throw this.#refuse(`a line of row ${this.row} has a status that eventload does not write`);
  }

  /** Whether the line stands for an event. */
  get hasEvent(): boolean {
    return this.#startOf(this.#statusAt) - this.#startOf(this.#statusAt - 1) > 1;
  }

  /** Attempts of the event, and those of them without an answer. */
  get attempts(): number {
    return this.#number(this.#statusAt + 2);
  }

  get unanswered(): number {
    return this.#number(this.#statusAt + 3);
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

  #isAt(bytes: Uint8Array, at: number): boolean {
    for (let byte = 0; byte < bytes.length; byte++) {
      if (this.#buffer[at + byte] !== bytes[byte]) return false;
    }
    return true;
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
        if (column + 1 !== this.columns.length) {
          throw this.#refuse(`a line near row ${this.row ?? 0} has another number of cells`);
        }
        this.#starts[column + 1 - rowAt] = at + 1;
        if (rowAt === 0) this.#starts[0] = from;
        this.#start = from;
        this.#end = at + 1;
        this.#scannedTo = at + 1;
        this.#scannedColumn = 0;
        this.#scannedQuote = false;
        const row = this.#number(rowAt);
        if (row < (this.row ?? 1)) {
          throw this.#refuse(`its row ${row} stands after row ${this.row ?? 0}`);
        }
        this.row = row;
        return true;
      }
    }
    this.#scannedTo = this.#filled;
    this.#scannedColumn = column;
    this.#scannedQuote = isQuoted;
    return false;
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
      const chunk = await nextOf(this.#chunks, this.name);
      if (chunk === undefined) {
        if (this.#filled > 0) throw this.#refuse("its last line is cut off");
        this.row = undefined;
        return;
      }
      this.#count(chunk);
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

  #count(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
  }
}

interface Rest {
  readonly buffer: Buffer;
  readonly chunks: AsyncIterator<Buffer>;
}

/** @throws CannotStartError if it cannot be read */
async function nextOf(chunks: AsyncIterator<Buffer>, name: string): Promise<Buffer | undefined> {
  try {
    const { value, done } = await chunks.next();
    return done === true ? undefined : value;
  } catch (error) {
    throw cannotStart("input_unreadable", name, reasonOf(error));
  }
}

function endOfLine(buffer: Buffer): number {
  let isQuoted = false;
  for (let at = 0; at < buffer.length; at++) {
    if (buffer[at] === quoteByte) isQuoted = !isQuoted;
    else if (buffer[at] === lineFeed && !isQuoted) return at + 1;
  }
  return -1;
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
