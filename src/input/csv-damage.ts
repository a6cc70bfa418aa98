import type { CsvError } from "csv-parse";
import { InputDamagedError } from "../model/errors.ts";
import type { CsvDialect } from "./csv-record.ts";
import { locateDamage, type Place } from "./locate-damage.ts";

/**
 * What a person has to know of a record that cannot be parsed.
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
  const found = locateDamage(seen, dialect, line);
  const told = (message: string) => new InputDamagedError(line, message);
  const { quote } = dialect;
  if (isTooLong) {
    const long = `${start} is longer than ${inUnits(dialect.maxRecordBytes)}`;
    const why =
      found?.kind === "unclosed"
        ? `the quote (${quote}) at ${namePlace(found.place)} is probably never closed; if it is, `
        : "if that is right, ";
    return told(`${long}: ${why}allow more with --max-record-size.`);
  }
  const cell = (number: number) => `cell ${number} of ${start}`;
  switch (found?.kind) {
    case "unclosed":
      return told(
        `${namePlace(found.place)}: a quote (${quote}) opens ${cell(found.cell)} and is never closed: close it, or double it where it is part of the text${orNone}.`,
      );
    case "stray":
      return told(
        `${namePlace(found.place)}: a quote (${quote}) inside the text of ${cell(found.cell)}: put the cell in quotes and double the quotes in it${orNone}.`,
      );
    case "after_close":
      return told(
        `${namePlace(found.place)}: text follows the quote (${quote}) that closes ${cell(found.cell)}, which is opened at ${namePlace(found.opened)}: double the quotes that are part of the text, or close the cell where it ends${orNone}.`,
      );
    case undefined: {
      const place = typeof column === "number" ? `, cell ${column + 1},` : "";
      return told(`${start}${place} cannot be parsed: ${error.message}`);
    }
    default:
      throw found satisfies never;
  }
}

const orNone = " (--quote none, if quotes mean nothing in this file)";

/** `line 2, column 9` */
export function namePlace({ line, column }: Place): string {
  return `line ${line}, column ${column}`;
}

/** `1 MiB`, `1536 bytes` */
function inUnits(bytes: number): string {
  const mebibyte = 1024 * 1024;
  return bytes % mebibyte === 0 ? `${bytes / mebibyte} MiB` : `${bytes} bytes`;
}
