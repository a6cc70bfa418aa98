// Runs all tests again and again beside two busy loops: whatever goes by real time fails now and then.
//   node test/steady.mjs [TIMES]
import { spawn } from "node:child_process";
import { once } from "node:events";

const times = Number(process.argv[2] ?? 10);
const busyLoop =
  "process.stdin.resume().on('end', () => process.exit()); setInterval(() => { for (const from = performance.now(); performance.now() - from < 50; ); }, 0)";
// They end with this process, as their input does.
for (let at = 0; at < 2; at++) {
  spawn(process.execPath, ["-e", busyLoop], { stdio: ["pipe", "ignore", "ignore"] }).unref();
}

let child;
process.on("exit", () => child?.kill());
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

const results = [];
for (let run = 1; run <= times; run++) {
  const begun = performance.now();
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--bail=0"];
  child = spawn(process.execPath, vitest, { stdio: "inherit" });
  const [status] = await once(child, "exit");
  results.push(
    `run ${run}: ${status === 0 ? "passed" : "FAILED"} in ${Math.round((performance.now() - begun) / 1000)} s`,
  );
  if (status !== 0) process.exitCode = 1;
}
console.log(results.join("\n"));
process.exit();
