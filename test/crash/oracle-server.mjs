// A service that never forgets: the id of every event stands on the disk before it is answered.
// Arguments: the file to record in, the seed of its moods, the longest wait in milliseconds. It answers nothing while
// there is a file of that name with `.hold` behind it.
import { existsSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { createServer } from "node:http";

const [file, seed, longestMs] = process.argv.slice(2);
const record = openSync(file, "a");

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const id = request.headers["idempotency-key"];
    writeSync(record, `${id} ${JSON.stringify(Buffer.concat(chunks).toString("utf8"))}\n`);
    fdatasyncSync(record);
    const mood = moodOf(id);
    const answer = () => {
      if (existsSync(`${file}.hold`)) return setTimeout(answer, 20);
      response.writeHead(mood % 17 === 0 ? 422 : 202, { "content-type": "application/json" });
      return response.end(mood % 17 === 0 ? '{"message":"not this one"}' : "{}");
    };
    setTimeout(answer, mood % (Number(longestMs) + 1));
  });
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
});

/** The same event meets the same mood each time, so that two runs can be compared. */
function moodOf(id) {
  let mood = Number(seed);
  for (const char of id) mood = (Math.imul(mood, 31) + char.charCodeAt(0)) >>> 0;
  return mood;
}
