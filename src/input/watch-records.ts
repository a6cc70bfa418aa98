import { InputDamagedError } from "../model/errors.ts";
import { namePlace } from "./csv-damage.ts";
import type { CsvDialect, CsvRecord } from "./csv-record.ts";
import { locateQuotes } from "./locate-damage.ts";
import { findSwallowedRows } from "./swallowed-rows.ts";

/** What a program writes in place of what it could not read. */
const replacement = "\ufffd";

const mostTold = 5;

/** What is known of the input whose records are looked at. */
interface Watched {
  readonly name: string;
  readonly csv: CsvDialect;
  readonly columnCount: number;
  /** Whether very many rows in one cell are let through. */
  readonly mayHoldRows: boolean;
}

interface RecordWatch {
  /** @returns why a record and what follows it cannot be used */
  look(record: CsvRecord, mayHoldReplacement: boolean): InputDamagedError | undefined;
  /** Tells of what has not been told one by one. */
  end(): void;
}

/**
 * Looks at records for what is odd and no reason to stop, and for rows that were swallowed by a quote.
 *
 * @param warnings to which a sentence is added for what is found
 */
export function watchRecords(
  { name, csv, columnCount, mayHoldRows }: Watched,
  warnings: string[],
): RecordWatch {
  let swallowed = 0;
  let hasReplacement = false;
  const look: RecordWatch["look"] = (record, mayHoldReplacement) => {
    const { line, breaks, cells, written } = record;
    const found = breaks === 0 ? undefined : findSwallowedRows(record, csv.delimiter, columnCount);
    if (found?.isSure && written !== undefined && !mayHoldRows) {
      const { opens, closes } = locateQuotes(written, csv, line, found.cell);
      return new InputDamagedError(
        line,
        `a quote (${csv.quote}) opens a cell at ${namePlace(opens)}, and the next one closes it at ${namePlace(closes)}: the ${found.rows} lines between them that look like rows would be text of one cell. Take out the quotes that are too many, or put in those that are missing (--quote none, if quotes mean nothing in this file); where it is one cell indeed, --max-record-size, given with any size on the command line, lets it through.`,
      );
    }
    if (found !== undefined && ++swallowed <= mostTold) {
      warnings.push(
        `${name}: the lines ${line} to ${line + breaks} are one row, as a quote is opened in the first of them, but ${breaks === 1 ? "each looks like a row of its own" : "most of them look like rows of their own"}: is a quote missing there, or one too many?`,
      );
    }
    if (!mayHoldReplacement || hasReplacement) return undefined;
    hasReplacement = cells.some((cell) => cell.includes(replacement));
    if (hasReplacement) {
      warnings.push(
        `${name}: the row on line ${line} holds U+FFFD, which some program wrote in place of what it could not read: it is kept, and what stood there has to be got from where the file came from.`,
      );
    }
    return undefined;
  };
  return {
    look,
    end() {
      const more = swallowed - mostTold;
      if (more <= 0) return;
      const are = more === 1 ? "row of several lines looks" : "rows of several lines look";
      warnings.push(
        `${name}: and ${more} more ${are} like several rows each, as those told before.`,
      );
    },
  };
}
