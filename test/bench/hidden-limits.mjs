// A service with a limit that it does not tell, in a process of its own, for `npm run bench:rate`:
//   node hidden-limits.mjs '{"kind":"tokens","perSecond":500,"latencyMs":50}'
// Prints its base URL, `first` when the first request arrives, and for each line on standard input
// what it has counted, as JSON. It ends with its standard input.
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { createHiddenLimit } from "../hidden-limits/hidden-limit.mjs";
import { createServiceCounts } from "../hidden-limits/service-counts.mjs";

const limit = createHiddenLimit(JSON.parse(process.argv[2] ?? "{}"));
const counts = createServiceCounts();
const later = createTimeline();
let startedAt;

function serve(socket) {
  if (startedAt === undefined) {
    startedAt = performance.now();
    console.log("first");
  }
  const arrivedMs = performance.now() - startedAt;
  const { status, retryAfterS, answerAtMs } = limit.arrive(arrivedMs);
  const isRefused = status !== 202;
  counts.arrived(arrivedMs, isRefused);
  const answer = answerOf(status, retryAfterS);
  if (isRefused) {
    socket.write(answer);
    return;
  }
  later.at(startedAt + answerAtMs, () => {
    const nowMs = performance.now() - startedAt;
    limit.left();
    counts.left(nowMs, nowMs - arrivedMs);
    if (socket.writable) socket.write(answer);
  });
}

function answerOf(status, retryAfterS) {
  const retryAfter = retryAfterS === undefined ? "" : `retry-after: ${retryAfterS}\r\n`;
  return `HTTP/1.1 ${status} Answer\r\n${retryAfter}content-length: 0\r\n\r\n`;
}

// node:http would take half of a core for what the fastest limit lets through.
const server = createServer({ noDelay: true }, (socket) => {
  let received = "";
  socket.setEncoding("latin1");
  socket.on("error", () => {}); // whoever was cut off needs no answer
  socket.on("data", (chunk) => {
    received += chunk;
    for (;;) {
      const headEnd = received.indexOf("\r\n\r\n");
      if (headEnd === -1) return;
      const [, length = 0] = /\r\ncontent-length: *(\d+)/i.exec(received.slice(0, headEnd)) ?? [];
      const end = headEnd + 4 + Number(length);
      if (received.length < end) return;
      received = received.slice(end);
      serve(socket);
    }
  });
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
console.log(`http://127.0.0.1:${server.address().port}`);

for await (const _ of createInterface({ input: process.stdin })) {
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ slices: counts.slices, cpu_ms: (user + system) / 1000 }));
}
process.exit();

/** Runs things to the millisecond, with one timer for all of them. */
function createTimeline() {
  const due = new Map();
  let lastRunMs = 0;
  let waiting = 0;
  const tick = () => {
    const untilMs = Math.round(performance.now());
    for (; lastRunMs < untilMs; lastRunMs++) {
      const now = due.get(lastRunMs + 1);
      if (now === undefined) continue;
      due.delete(lastRunMs + 1);
      waiting -= now.length;
      for (const run of now) run();
    }
    if (waiting > 0) setTimeout(tick, 1);
  };
  return {
    at(atMs, run) {
      if (waiting === 0) {
        lastRunMs = Math.round(performance.now());
        setTimeout(tick, 1);
      }
      const slot = Math.max(Math.round(atMs), lastRunMs + 1);
      waiting++;
      const runs = due.get(slot);
      if (runs === undefined) due.set(slot, [run]);
      else runs.push(run);
    },
  };
}
