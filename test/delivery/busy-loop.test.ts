import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { deadlineMs } from "../fake-clock.ts";
import { authorityFile, identity } from "../faults/make-certificate.ts";
import { posterTo } from "./poster-under-test.ts";

/** A service on a thread of its own: it answers while this one does nothing. */
const serviceCode = `
const { parentPort, workerData: { isSecure, identity, flags } } = require("node:worker_threads");
const { createServer } = require(isSecure ? "node:https" : "node:http");
const [hasAnswered, mayAnswer] = [0, 1];
const server = createServer(identity, (request, response) => {
  request.resume().on("end", () => {
    parentPort.postMessage("received");
    Atomics.wait(flags, mayAnswer, 0);
    response.writeHead(202).end("", () =>
      setTimeout(() => {
        Atomics.store(flags, hasAnswered, 1);
        Atomics.notify(flags, hasAnswered);
      }, 20),
    );
  });
});
server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

test.each([
  ["http", false],
  ["https", true],
])(
  "an answer that lies in the socket wins over a deadline that passed in a busy loop (%s)",
  async (_, isSecure) => {
    const flags = new Int32Array(new SharedArrayBuffer(8));
    const worker = new Worker(serviceCode, {
      eval: true,
      workerData: { isSecure, identity, flags },
    });
    onTestFinished(async () => {
      await worker.terminate();
    });
    const [port] = (await once(worker, "message")) as [number];
    const url = `${isSecure ? "https" : "http"}://localhost:${port}`;
    const { send, clock } = await posterTo(url, { caFiles: [authorityFile] });

    const attempt = send();
    await once(worker, "message");
    // Nothing is read from here on, until the answer has come and the time is over.
    Atomics.store(flags, 1, 1);
    Atomics.notify(flags, 1);
    Atomics.wait(flags, 0, 0);
    clock.advance(deadlineMs);
    expect(await attempt).toMatchObject({ kind: "answered", httpStatus: 202 });
  },
);
