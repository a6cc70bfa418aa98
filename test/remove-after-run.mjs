// Removes what a run of the tests has left, however that run ended: the processes that know its folder, and the
// folder. The run starts it; it acts when its standard input ends, as it does when the run is killed.
import { readdirSync, readFileSync, rmSync } from "node:fs";

const [folder = ""] = process.argv.slice(2);

process.stdin.resume().on("close", () => {
  for (const pid of processesOf(folder)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

/** Those whose environment has the folder, as home or for temporary files; none where there is no /proc. */
function processesOf(path) {
  return entriesOf("/proc").filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return false;
    try {
      return readFileSync(`/proc/${name}/environ`, "utf8").includes(`=${path}`);
    } catch {
      return false;
    }
  });
}

function entriesOf(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
