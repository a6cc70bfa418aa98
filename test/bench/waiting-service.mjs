// A service for `waiting.mjs`. Arguments: how many of 100 events get status 500 once.
// Its address is its first line of output; GET /figures reports the first attempts so far.
import { createServer } from "node:http";

const share = Number(process.argv[2]);
const refusedOnce = new Set();
let firstAttempts = 0;
let startedMs = 0;
let lastMs = 0;

const server = createServer((request, response) => {
  if (request.url === "/figures") {
    response.end(JSON.stringify({ firstAttempts, forMs: lastMs - startedMs }));
    return;
  }
  request.resume();
  request.on("end", () => {
    const id = request.headers["idempotency-key"];
    const isAgain = refusedOnce.delete(id);
    if (!isAgain) {
      firstAttempts++;
      lastMs = performance.now();
      if (firstAttempts === 1) startedMs = lastMs;
    }
    // The first event goes alone, and the others would wait for it.
    const isRefused =
      !isAgain && firstAttempts > 1 && Number.parseInt(id.slice(0, 8), 16) % 100 < share;
    if (isRefused) refusedOnce.add(id);
    response.writeHead(isRefused ? 500 : 202);
    response.end();
  });
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
});
