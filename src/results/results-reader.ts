import { createHash } from "node:crypto";
import { cannotStart, reasonOf } from "../model/errors.ts";
import { inputColumnsOf } from "../model/results-columns.ts";
import type { Fingerprint } from "../model/run-record.ts";
import { countOf, type OwnCells, ownCellsReader } from "./result-line.ts";
import { csvCells } from "./to-csv.ts";

/** Says that a file is not what eventload wrote; why is the end of a sentence. */
export type RefuseResults = (why: string) => Error;

const [quoteByte, comma, lineFeedByte] = [0x22, 0x2c, 0x0a] as const;

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
  bytesRead = 0;

  readonly #chunks: AsyncIterator<Buffer>;
  readonly #hash = createHash("sha256");
  readonly #refuse: RefuseResults;
  /** The first column of eventload; infinite until the header is read. */
  #rowAt = Number.POSITIVE_INFINITY;
  #buffer: Buffer = Buffer.alloc(0);
  /** How much of the buffer is in use, and where the line at hand, and eventload's part of it, begin and end in it. */
  #filled = 0;
  #start = 0;
  #ownStart = 0;
  #end = 0;
  #readOwn: ReturnType<typeof ownCellsReader> = () => undefined;
  /** What eventload's cells of the line say, once somebody has asked. */
  #said: OwnCells | undefined;

  private constructor(chunks: AsyncIterator<Buffer>, name: string, refuse: RefuseResults) {
    this.name = name;
    this.#chunks = chunks;
    this.#refuse = refuse;
  }

  /**
   * Opens a file, and goes to its first line.
   *
   * @param refuse makes the error if it is not as eventload wrote it
   * @throws CannotStartError if the file cannot be read, then and later
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
    this.columns = csvCells(this.header.toString("utf8"));
    const rowAt = this.columns.lastIndexOf("import_row");
    if (rowAt < 0 || !this.columns.includes("import_status")) {
      throw this.#refuse("it is not a results file of eventload");
    }
    this.#rowAt = rowAt;
    this.#readOwn = ownCellsReader(this.columns);
  }

  get inputColumns(): readonly string[] {
    return inputColumnsOf(this.columns);
  }

  /** What eventload's cells of the line at hand say. */
  get said(): OwnCells {
    this.#said ??= this.#readOwn(this.own());
    if (this.#said !== undefined) return this.#said;
    throw this.#refuse(`a line of row ${this.row} has a status that eventload does not write`);
  }

  /** What they say, for somebody who counts: the attempts have to be numbers. */
  get counted(): OwnCells {
    this.#number(this.said.outcome.attempts + this.said.outcome.unanswered);
    return this.said;
  }

  /** The bytes of the line, with its line feed; good until the next line. */
  bytes(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  /** Eventload's part of the line, as it stands. */
  own(): string {
    return this.#buffer.toString("utf8", this.#ownStart, this.#end);
  }

  inputCells(): string[] {
    return csvCells(this.#buffer.toString("utf8", this.#start, this.#ownStart - 1));
  }

  /** Goes to the next line. @returns undefined if it has been read already, as most lines have */
  next(): Promise<void> | undefined {
    return this.#step() ? undefined : this.#readOn();
  }

  /**
   * Passes on the lines of all rows before one, in pieces of many lines.
   *
   * @param take gets bytes that are good until its promise is kept
   * @param see sees each of these lines
   */
  async copyUntil(
    row: number,
    take: (lines: Buffer) => Promise<void>,
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

  /** What the file is. All its lines must have been read. */
  fingerprint(): Fingerprint {
    return { bytes: this.bytesRead, sha256: this.#hash.digest("hex") };
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  #number(number: number): number {
    if (!Number.isNaN(number)) return number;
    throw this.#refuse(`a line near row ${this.row ?? 0} has no numbers`);
  }

  /** @returns false if the next line is not in the buffer as a whole */
  #step(): boolean {
    const buffer = this.#buffer;
    const rowAt = this.#rowAt;
    let ownStart = this.#end;
    let column = 0;
    let isQuoted = false;
    for (let at = this.#end; at < this.#filled; at++) {
      const byte = buffer[at];
      if (byte === quoteByte) isQuoted = !isQuoted;
      else if (isQuoted) continue;
      else if (byte === comma) {
        if (++column === rowAt) ownStart = at + 1;
      } else if (byte === lineFeedByte) {
        this.#start = this.#end;
        this.#ownStart = ownStart;
        this.#end = at + 1;
        this.#said = undefined;
        if (rowAt < Number.POSITIVE_INFINITY) this.#beginLine(column + 1);
        return true;
      }
    }
    return false;
  }

  #beginLine(cells: number): void {
    if (cells !== this.columns.length) {
      throw this.#refuse(`a line near row ${this.row ?? 0} has another number of cells`);
    }
    const end = this.#buffer.indexOf(",", this.#ownStart);
    const row = this.#number(countOf(this.#buffer.toString("latin1", this.#ownStart, end)));
    if (row < (this.row ?? 1)) {
      throw this.#refuse(`row ${row} comes after row ${this.row ?? 0}`);
    }
    this.row = row;
  }

  /** Keeps what is left of the buffer at its beginning, and fills it up: a buffer for each chunk would pile up. */
  async #readOn(): Promise<void> {
    this.#buffer.copyWithin(0, this.#end, this.#filled);
    this.#filled -= this.#end;
    this.#end = 0;
    // A long line is looked through again when it has doubled, so that it takes linear time.
    for (let enough = 0; ; ) {
      const chunk = await this.#nextChunk();
      if (chunk !== undefined) this.#fill(chunk);
      if (chunk !== undefined && this.#filled < enough) continue;
      if (this.#step()) return;
      enough = 2 * this.#filled;
      if (chunk !== undefined) continue;
      if (this.columns.length === 0) throw this.#refuse("it has no header");
      if (this.#filled > 0) throw this.#refuse("its last line is cut off");
      this.#start = 0;
      this.row = undefined;
      return;
    }
  }

  #fill(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.bytesRead += chunk.length;
    const filled = this.#filled + chunk.length;
    if (filled > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(2 * filled);
      this.#buffer.copy(larger, 0, 0, this.#filled);
      this.#buffer = larger;
    }
    chunk.copy(this.#buffer, this.#filled);
    this.#filled = filled;
  }

  /** @throws CannotStartError if the file cannot be read */
  async #nextChunk(): Promise<Buffer | undefined> {
    try {
      const { value, done } = await this.#chunks.next();
      return done === true ? undefined : value;
    } catch (error) {
      throw cannotStart("input_unreadable", this.name, reasonOf(error));
    }
  }
}
