import { once } from "node:events";
import { createWriteStream } from "node:fs";

const header = "Id,First Name,Last Name,Email,Phone,City,Zip,Signup\n";

/** Writes a CSV of eight columns, with a quoted cell in every row; `from` is the number of the first. */
export async function writeRows(path, rows, from = 0) {
  const file = createWriteStream(path);
  file.write(header);
  for (let start = 0; start < rows; start += 10_000) {
    let text = "";
    for (let row = start; row < Math.min(rows, start + 10_000); row++) {
      text += `${line(from + row)}\n`;
    }
    if (!file.write(text)) await once(file, "drain");
  }
  file.end();
  await once(file, "close");
}

function line(row) {
  const zip = String(row % 100_000).padStart(5, "0");
  return `${row},Anna${row % 997},"Müller, née ${row % 1009}",anna.${row}@example.com,+49 30 ${1_000_000 + row},Berlin,${zip},2024-05-${10 + (row % 20)}`;
}
