// csv-parse alone: every record of a file, as arrays, and nothing done with them.
import { createReadStream } from "node:fs";
import { parse } from "csv-parse";

const parser = createReadStream(process.argv[2]).pipe(parse({ columns: false }));
let records = 0;
for await (const _ of parser) records++;
console.log(records);
