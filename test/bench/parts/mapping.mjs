// What mapping costs beside parsing: a million rows of 36 columns to 20 members, and the same rows parsed
// by csv-parse the way the program uses it, as a ratio of times. Batches are parsed and mapped in turn.
import { parse } from "csv-parse";
import { compileMapping } from "../../../build/mapping/compile-mapping.js";
import { loadMapping } from "../../../build/mapping/load-mapping.js";

const columnCount = 36;
// About the 32 KiB that the program reads at a time.
const rowsInBatch = 100;

const mapping = `version: 1
resource: contacts
event: { column: c0, map: { A: contact.created, U: contact.updated }, otherwise: contact.updated }
ordering_key: [c1]
when: { column: c2, not_in: [test] }
null_values: [NULL]
members:
  email: { column: c1, transform: [trim, lowercase], required: true, format: email }
  profile.first_name: { column: c3, transform: collapse_spaces }
  profile.last_name: c4
  profile.age: { column: c5, type: integer, min: 0, max: 150 }
  full_name: { template: "{c3} {c4}" }
  balance: { column: c6, type: decimal, decimal_separator: ",", thousands_separator: "." }
  latitude: { column: c7, type: number }
  longitude: { column: c8, type: number }
  active: { column: c9, type: boolean }
  born: { column: c10, type: date, format: dd/MM/yyyy }
  signed_up_at: { column: c11, type: datetime, format: "dd/MM/yyyy HH:mm", timezone: Europe/Amsterdam }
  tags: { column: c12, type: list, separator: ";" }
  plan: { column: c13, map: { P: pro, F: free }, otherwise: free }
  phone: { columns: [c14, c15], transform: digits_only }
  country: { column: c16, format: iso-country }
  zip: c17
  note: { column: c18, empty: keep, max_length: 500 }
  addresses[0].street: c19
  addresses[0].city: c20
  source: { value: legacy-crm }
`;

const columns = Array.from({ length: columnCount }, (_, at) => `c${at}`);

function csvOf(first) {
  let text = "";
  for (let row = first; row < first + rowsInBatch; row++) {
    const day = String((row % 28) + 1).padStart(2, "0");
    const cells = [
      ...[row % 2 ? "A" : "U", ` Person.${row}@Example.com `, "active", `Ada  ${row}`, "Lovelace"],
      ...[
        row % 100,
        `"1.234,${10 + (row % 90)}"`,
        `52.${row}`,
        `-4.${row}`,
        row % 3 ? "yes" : "no",
      ],
      ...[`${day}/07/1985`, `${day}/03/2024 ${10 + (row % 10)}:30`, "a;b;c", row % 2 ? "P" : "F"],
      ...["", `+31 6 ${1e7 + row}`, "NL", "00172", "", `Main Street ${row}`, "Rotterdam"],
    ];
    while (cells.length < columnCount) cells.push(`more text ${cells.length}`);
    text += `${cells.join(",")}\n`;
  }
  return Buffer.from(text);
}

/** What mapping a row takes, beside parsing it: medians of batches. */
export async function measureMapping({ isQuick }) {
  const rows = isQuick ? 100_000 : 1_000_000;
  const loaded = loadMapping(mapping);
  const input = { name: "bench", id: "0123456789abcdef" };
  const { mapRow } = compileMapping(loaded.mapping, columns, input);
  let records = [];
  const parser = parse({
    on_record(cells) {
      records.push(cells);
      return null;
    },
  });
  parser.resume();
  const times = { mapping: [], parsing: [] };
  let row = 0;
  while (row < rows) {
    const bytes = csvOf(row + 1);
    const start = performance.now();
    await new Promise((parsed) => parser.write(bytes, parsed));
    const parsed = performance.now();
    for (const cells of records) {
      row++;
      const mapped = mapRow({ row, line: row + 1, cells });
      if (mapped.kind !== "events") throw new Error(JSON.stringify(mapped));
      // The text of the body and the id, which are made when they are asked for.
      for (const event of mapped.events) if (event.id === "") throw new Error("no id");
    }
    times.mapping.push(performance.now() - parsed);
    times.parsing.push(parsed - start);
    records = [];
  }
  parser.destroy();
  const ratio = median(times.mapping) / median(times.parsing);
  return [{ what: "mapping 36 columns to 20 members / csv-parse of them", atMost: 1, ratio }];
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
