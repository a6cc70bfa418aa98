import { MultiBar, type Options, type Params } from "cli-progress";
import type { Clock } from "../../model/clock.ts";
import { oneLine } from "../../model/escape-text.ts";
import { cutTo } from "../../model/row.ts";
import type { ImportProgress } from "../../run/options/run-events.ts";
import type { OutputStream } from "../host.ts";
import { describeProgress, type ProgressDescription } from "./describe-progress.ts";
import { percentText, wrapWords } from "./lines.ts";

/** Shows the progress of a run, and prints other lines above it. */
export interface ProgressDisplay {
  update(progress: ImportProgress): void;
  /** Prints a line without breaking the bar. */
  say(line: string): void;
  end(): void;
}

/** A line that is redrawn ten times a second, below other lines; once something does not succeed, a second one says why. */
export function createProgressBar(
  stream: OutputStream,
  clock: Pick<Clock, "now">,
): ProgressDisplay {
  const describe = describeProgress(clock);
  let bars: MultiBar | undefined;
  let latest: ImportProgress | undefined;
  let hasReasons = false;
  const format = (_options: Options, { maxWidth }: Params, { isReasons = false }) => {
    if (latest === undefined) return "";
    const lineOf = isReasons ? fitReasons : fitProgress;
    // In the last column some terminals begin a new line.
    return lineOf(describe(latest), maxWidth - 1);
  };

  return {
    update(progress) {
      latest = progress;
      const isNew = bars === undefined;
      // A line that is printed takes the place of what was drawn. A kill has to leave a terminal that breaks lines.
      const own = { forceRedraw: true, clearOnComplete: true, linewrap: true };
      bars ??= new MultiBar({ stream, format, gracefulExit: false, ...own });
      if (isNew) bars.create(1, 0);
      if (!hasReasons && progress.phase === "send" && progress.problems.length > 0) {
        hasReasons = true;
        bars.create(1, 0, { isReasons: true });
      }
      if (isNew) bars.update();
    },
    say(line) {
      for (const piece of wrapWords(line, stream.columns)) {
        const text = oneLine(piece);
        if (bars === undefined) stream.write(`${text}\n`);
        // Behind it is what was drawn there.
        else bars.log(`${text}\u001b[K\n`);
      }
      bars?.update();
    },
    end() {
      bars?.stop();
      bars = undefined;
      hasReasons = false;
    },
  };
}

const longestBar = 20;
const shortestBar = 6;

/** Why most of what does not succeed does not, in a line of at most this width. */
export function fitReasons({ reasons }: ProgressDescription, width: number): string {
  return cutTo(
    width - 1,
    `  ${reasons.map((reason) => cutTo(maxReason, oneLine(reason))).join(", ")}`,
  );
}

/** So that another one is to be seen beside it. */
const maxReason = 60;

/** The progress in a line of at most this width. The bar takes the room that remains. */
export function fitProgress({ phase, share, parts }: ProgressDescription, width: number): string {
  const said = [...(share === undefined ? [] : [percentText(share)]), ...parts].map(oneLine);
  const lineOf = () => `${phase} ${said.join(", ")}`;
  while (said.length > 1 && lineOf().length > width) said.pop();
  const length = Math.min(longestBar, width - lineOf().length - "[] ".length);
  if (share === undefined || length < shortestBar) return lineOf().slice(0, width);
  const done = Math.round(share * length);
  return lineOf().replace(" ", ` [${"=".repeat(done)}${" ".repeat(length - done)}] `);
}
