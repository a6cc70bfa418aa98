// What one writes in an afternoon: input, URL, number of calls at a time, and where the results go.
import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { parse } from "csv-parse";
import { stringify } from "csv-stringify/sync";
import pLimit from "p-limit";

const [input, url, concurrency, output] = process.argv.slice(2);
const limit = pLimit(Number(concurrency));
const tasks = [];
for await (const row of createReadStream(input).pipe(parse({ columns: true }))) {
  tasks.push(
    limit(async () => {
      const answer = await fetch(`${url}/v1/contacts/events`, {
        method: "POST",
        headers: { authorization: "Bearer bench", "content-type": "application/json" },
        body: JSON.stringify({
          event: "contact.imported",
          id: row.Id,
          first_name: row["First Name"],
          last_name: row["Last Name"],
          email: row.Email.trim().toLowerCase(),
          phone: row.Phone,
          address: { city: row.City, zip: row.Zip },
          signed_up_on: row.Signup,
        }),
      });
      await answer.text();
      return { ...row, status: answer.status };
    }),
  );
}
const rows = await Promise.all(tasks);
await writeFile(output, stringify(rows, { header: true }));
console.log(rows.filter(({ status }) => status === 202).length);
