// csv-parse alone: every record of a file, as arrays, and nothing done with them.
import { createReadStream } from "node:fs";
import { parse } from "csv-parse";

const parser = createReadStream(process.argv[2]).pipe(parse({ columns: false }));
let records = 0;
if (process.argv[3] === "readable") {
  parser.on("readable", () => {
    while (parser.read() !== null) records++;
  });
  await new Promise((ended, failed) => parser.on("end", ended).on("error", failed));
} else for await (const _ of parser) records++;
console.log(records);
