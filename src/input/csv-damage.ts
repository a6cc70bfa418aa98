import type { CsvError } from "csv-parse";
import { InputDamagedError, reasonOf } from "../model/errors.ts";
import type { CsvDialect } from "./csv-record.ts";
import { findQuoteFault, namePlace, quoteDamage } from "./quote-faults.ts";

/**
 * Explains why a record cannot be parsed: what is wrong, where, and what to do.
 *
 * @param error the parser's
 * @param text of the record, as far as it was read
 * @param line on which it starts
 */
export function csvDamage(
  error: Error,
  text: string,
  dialect: CsvDialect,
  line: number,
): InputDamagedError {
  const { code, column } = error as CsvError & { column?: unknown };
  const start = `the row that starts on line ${line}`;
  const isTooLong = code === "CSV_MAX_RECORD_SIZE";
  const seen = isTooLong ? text.slice(0, dialect.maxRecordBytes) : text;
  const found = findQuoteFault(seen, dialect, line);
  const damage = (message: string) => new InputDamagedError(line, message);
  const { quote } = dialect;
  if (isTooLong) {
    const long = `${start} is longer than ${inUnits(dialect.maxRecordBytes)}`;
    const why =
      found?.kind === "unclosed" && found.place !== undefined
        ? `the quote (${quote}) at ${namePlace(found.place)} is probably never closed; if it is, `
        : "if that is right, ";
    return damage(`${long}: ${why}allow more with max_record_size in eventload.yaml.`);
  }
  if (found !== undefined) return quoteDamage(found, quote, line);
  const place = typeof column === "number" ? `, cell ${column + 1},` : "";
  return damage(`${start}${place} cannot be parsed: ${error.message}`);
}

/** `1 MiB`, `1536 bytes` */
function inUnits(bytes: number): string {
  const mebibyte = 1024 * 1024;
  return bytes % mebibyte === 0 ? `${bytes / mebibyte} MiB` : `${bytes} bytes`;
}

/** Why nothing can be read from this line on, where a row starts. */
export function unreadable(error: unknown, line: number): InputDamagedError {
  if (error instanceof InputDamagedError) {
    if (error.line === line) return error;
    return new InputDamagedError(
      line,
      `${error.message} It is in the row that starts on line ${line}.`,
    );
  }
  return new InputDamagedError(
    line,
    `line ${line} and what follows cannot be read (${reasonOf(error)}): check the file or its disk.`,
  );
}
