import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { accepting, startRawServer } from "../delivery/raw-server.ts";
import { endOf, expectUnreachable, receiptsOfRows, rowsToImport } from "./import-rows.ts";

/** A port at which nothing listens. */
async function freePort(): Promise<number> {
  const server = await startRawServer({});
  await server.close();
  return Number(new URL(server.origin).port);
}

test("refused on the first event: the run stops and leaves nothing behind", async () => {
  const rows = await rowsToImport(3);
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  const imported = await rows.import(baseUrl, "--max-attempts", "3");
  expectUnreachable(imported, 3);
  expect(imported.stderr).toContain("ECONNREFUSED");
  expect(existsSync(rows.path("rows.results.csv"))).toBe(false);
});

test.each(["at-least-once", "at-most-once"])(
  "refused, then no more: with %s it is tried again, as it never left",
  async (mode) => {
    const port = await freePort();
    const rows = await rowsToImport(3);
    const running = rows.import(
      `http://127.0.0.1:${port}`,
      ...["--max-attempts", "50", "--delivery", mode, "--log-file", rows.path("log")],
    );
    // Its first attempt has failed once there is a word of it.
    const log = () => (existsSync(rows.path("log")) ? readFileSync(rows.path("log"), "utf8") : "");
    while (!log().includes("ECONNREFUSED")) await wait(5);
    const server = await startRawServer(accepting, { port });
    const imported = await running;
    expect(imported.status).toBe(0);
    expect(imported.summary).toMatchObject({ succeeded: 3, unanswered: 0 });
    expect(endOf(imported, 1).attempts).toBeGreaterThan(1);
    expect(receiptsOfRows(server.requests, 3)).toEqual([1, 1, 1]);
  },
);

test("a host that nobody knows stops the run at its first attempt", async () => {
  const rows = await rowsToImport(3);
  const imported = await rows.import("https://nowhere.invalid");
  expectUnreachable(imported, 1);
  expect(imported.stderr).toContain("There is no host nowhere.invalid");
});

test("reset on accept, again and again: the run stops, and nothing has arrived", async () => {
  const server = await startRawServer({ onConnection: (socket) => socket.resetAndDestroy() });
  const rows = await rowsToImport(3);
  expectUnreachable(await rows.import(server.origin, "--max-attempts", "3"), 3);
  expect(server.requests).toEqual([]);
  expect(server.connections).toBe(3);
});

test("reset on accept, then no more: each event arrives once", async () => {
  const server = await startRawServer({
    ...accepting,
    onConnection(socket) {
      if (server.connections <= 2) socket.resetAndDestroy();
    },
  });
  const rows = await rowsToImport(3);
  const imported = await rows.import(server.origin, "--concurrency", "1");
  expect(imported.status).toBe(0);
  expect(imported.summary).toMatchObject({ succeeded: 3, attempts: 5 });
  expect(endOf(imported, 1)).toMatchObject({ status: "succeeded", attempts: 3 });
  expect(receiptsOfRows(server.requests, 3)).toEqual([1, 1, 1]);
  expect(server.connections).toBe(3);
});

test("a server that lets no connection in: the deadline passes, and nothing may have arrived", async () => {
  const { port, server } = await startDeafServer();
  const rows = await rowsToImport(3);
  const imported = await rows.import(
    `http://127.0.0.1:${port}`,
    ...["--timeout", "200ms", "--max-attempts", "2"],
  );
  expectUnreachable(imported, 2);
  expect(imported.stderr).toContain("could not connect");
  server.kill("SIGCONT");
});

/** A process that listens and is stopped, with a backlog so full that the system lets nobody in. */
async function startDeafServer(): Promise<{ port: number; server: ChildProcess }> {
  const code = `const server = require("node:net").createServer();
    server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () =>
      console.log(server.address().port));`;
  const server = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    server.kill("SIGKILL");
  });
  const [line] = (await once(createInterface(server.stdout), "line")) as [string];
  server.kill("SIGSTOP");
  const port = Number(line);
  for (let isLetIn = true; isLetIn; ) {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => {
      socket.destroy();
    });
    socket.on("error", () => {});
    isLetIn = await Promise.race([once(socket, "connect").then(() => true), wait(300, false)]);
  }
  return { port, server };
}
