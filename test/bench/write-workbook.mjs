import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { writeXlsxStream } from "hucre";

const header = ["Id", "First Name", "Last Name", "Email", "Phone", "City", "Zip", "Signup"];

/** Writes an .xlsx of the same columns as the CSV, with its texts in a table, as Excel has them. */
export async function writeWorkbook(path, rows) {
  function* all() {
    yield header;
    for (let row = 0; row < rows; row++) yield cellsOf(row);
  }
  const bytes = writeXlsxStream(all(), { name: "People", inlineStrings: false });
  await pipeline(Readable.fromWeb(bytes), createWriteStream(path));
}

function cellsOf(row) {
  const phone = `+49 30 ${1_000_000 + row}`;
  const names = [`Anna${row % 997}`, `Müller, née ${row % 1009}`];
  const zip = String(row % 100_000).padStart(5, "0");
  const signup = new Date(Date.UTC(2024, 4, 10 + (row % 20)));
  return [row, ...names, `anna.${row}@example.com`, phone, "Berlin", zip, signup];
}
