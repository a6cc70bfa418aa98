import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** What temporary files of all tests have room in. */
const roomBytes = 1024 ** 3;
const memory = "/dev/shm";

/**
 * Tests and the programs that they start have a home folder of their own, so that the key in it is none of
 * a person's, and make files that only their owner may write, whatever the shell says. Their files are in memory
 * where there is one, unless `TMPDIR` says otherwise: most of their time would go into syncs.
 */
export default function setUp(): () => void {
  const folder = mkdtempSync(join(folderForFiles(), "eventload-tests-"));
  // Tests of several users leave it open to others, as the folder around it is.
  chmodSync(folder, 0o755);
  const home = join(folder, "home");
  mkdirSync(home);
  process.env.TMPDIR = folder;
  process.env.HOME = home;
  delete process.env.XDG_STATE_HOME;
  process.umask(0o022);
  return removeAfterRun(folder);
}

function folderForFiles(): string {
  if (process.env.TMPDIR !== undefined) return tmpdir();
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= roomBytes ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Also after a run that was killed: its standard input ends with this process. */
function removeAfterRun(folder: string): () => void {
  const program = fileURLToPath(new URL("./remove-after-run.mjs", import.meta.url));
  const remover = spawn(process.execPath, [program, folder], {
    stdio: ["pipe", "ignore", "inherit"],
    // An interrupt at the terminal is not for it.
    detached: true,
  });
  remover.unref();
  return () => {
    remover.stdin.end();
  };
}
