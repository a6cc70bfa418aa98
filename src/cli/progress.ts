import type { Clock } from "../model/clock.ts";
import { describeProgress } from "./describe-progress.ts";
import type { Host, OutputStream } from "./host.ts";
import type { ProgressDisplay } from "./progress-bar.ts";
import { textAt } from "./progress-parts.ts";
import { writeLine } from "./write-line.ts";

/** A bar on a terminal; a line every ten seconds elsewhere; nothing where it is to be quiet. */
export async function createProgress(
  { stderr, env }: Pick<Host, "stderr" | "env">,
  quiet: boolean,
  clock: Pick<Clock, "now">,
): Promise<ProgressDisplay> {
  if (quiet) return { update() {}, say: (line) => writeLine(stderr, line), end() {} };
  // A dumb terminal cannot go back to the beginning of a line.
  const canRedraw = stderr.isTTY === true && env.TERM !== "dumb";
  if (!canRedraw) return inLines(stderr, clock);
  const { createProgressBar } = await import("./progress-bar.ts");
  return createProgressBar(stderr, clock);
}

const lineEveryMs = 10_000;

function inLines(stream: OutputStream, clock: Pick<Clock, "now">): ProgressDisplay {
  const describe = describeProgress(clock);
  let lastMs = clock.now();
  return {
    update(progress) {
      const { phase, parts, below } = describe(progress);
      if (clock.now() - lastMs < lineEveryMs) return;
      lastMs = clock.now();
      stream.write(`${phase}: ${textAt([...parts, ...below], 0)}\n`);
    },
    say: (line) => writeLine(stream, line),
    end() {},
  };
}
