import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { findUnfinishedRun, inFlight } from "../../../build/journal/unfinished-run.js";
import { nodeDisk } from "../../../build/model/disk/node-disk.js";
import { mapping, program } from "../run-measured.mjs";

const concurrency = 16;
const shortestMs = 1;
const longestMs = 12;

/** Of what a kill leaves in doubt, how much was in flight: the service counts what it has not answered. */
export async function measureInDoubt({ folder, input, env, isQuick }) {
  const kills = isQuick ? 10 : 30;
  console.error("In doubt:");
  let onWire = 0;
  const server = createServer((request, response) => {
    onWire++;
    request.resume();
    const waitMs = shortestMs + Math.random() * (longestMs - shortestMs);
    setTimeout(() => {
      onWire--;
      response.writeHead(202).end();
    }, waitMs);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${server.address().port}`;

  const sums = { inDoubt: 0, sent: 0 };
  for (let kill = 0; kill < kills; kill++) {
    const results = join(folder, `killed-${kill}.results.csv`);
    const args = ["import", input, "--mapping", mapping, "--base-url", url, "--results", results];
    const more = ["--concurrency", String(concurrency), "--no-check", "--quiet"];
    const child = spawn(process.execPath, [program, ...args, ...more], { env, stdio: "ignore" });
    while (onWire < concurrency) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 500));
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    const sent = onWire;
    await exited;
    const inDoubt = inFlight(await findUnfinishedRun(nodeDisk, `${results}.journal`));
    sums.inDoubt += inDoubt;
    sums.sent += sent;
    console.error(`  in doubt ${inDoubt}, in flight ${sent}`);
    while (onWire > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  server.close();
  return [
    {
      what: `perhaps sent / in flight, over ${kills} kills`,
      ...{ atMost: 1.4, ratio: sums.inDoubt / sums.sent },
    },
  ];
}
