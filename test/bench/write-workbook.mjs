import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { writeXlsxStream } from "hucre";

const header = ["Id", "First Name", "Last Name", "Email", "Phone", "City", "Zip", "Signup"];

/** Writes an .xlsx of the same columns as the CSV, with its texts in a table, as Excel has them. */
export async function writeWorkbook(path, rows) {
  await write(path, header, rows, (row) => cellsOf(row, row));
}

/** Writes one whose second half refers to the texts of the first in another order, as if sorted. */
export async function writeSortedWorkbook(path, rows) {
  const people = Math.ceil(rows / 2);
  await write(path, [...header, "Note"], rows, (row) => {
    const person = row < people ? row : (row * 7919) % people;
    return [...cellsOf(row, person), `${person} `.repeat(40)];
  });
}

function cellsOf(row, person) {
  const phone = `+49 30 ${1_000_000 + person}`;
  const names = [`Anna${person % 997}`, `Müller, née ${person % 1009}`];
  const zip = String(person % 100_000).padStart(5, "0");
  const signup = new Date(Date.UTC(2024, 4, 10 + (person % 20)));
  return [row, ...names, `anna.${person}@example.com`, phone, "Berlin", zip, signup];
}

async function write(path, columns, rows, cells) {
  function* all() {
    yield columns;
    for (let row = 0; row < rows; row++) yield cells(row);
  }
  const bytes = writeXlsxStream(all(), { name: "People", inlineStrings: false });
  await pipeline(Readable.fromWeb(bytes), createWriteStream(path));
}
