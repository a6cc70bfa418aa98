import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Tests and the programs that they start have a home folder of their own, so that the key in it is none of
 * a person's, and make files that only their owner may write, whatever the shell says.
 */
export default function setUp(): () => void {
  const home = mkdtempSync(join(tmpdir(), "eventload-home-"));
  process.env.HOME = home;
  delete process.env.XDG_STATE_HOME;
  process.umask(0o022);
  return () => rmSync(home, { recursive: true, force: true });
}
