import { MultiBar, type Options, type Params } from "cli-progress";
import type { Clock } from "../../model/clock.ts";
import { oneLine } from "../../model/escape-text.ts";
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

/** A line that is redrawn ten times a second, below other lines. */
export function createProgressBar(
  stream: OutputStream,
  clock: Pick<Clock, "now">,
): ProgressDisplay {
  const describe = describeProgress(clock);
  let bars: MultiBar | undefined;
  let latest: ImportProgress | undefined;
  const format = (_options: Options, { maxWidth }: Params) =>
    // In the last column some terminals begin a new line.
    latest === undefined ? "" : fitProgress(describe(latest), maxWidth - 1);

  return {
    update(progress) {
      latest = progress;
      if (bars !== undefined) return;
      // A line that is printed takes the place of what was drawn. A kill has to leave a terminal that breaks lines.
      const own = { forceRedraw: true, clearOnComplete: true, linewrap: true };
      bars = new MultiBar({ stream, format, gracefulExit: false, ...own });
      bars.create(1, 0);
      bars.update();
    },
    say(line) {
      for (const piece of wrapWords(line, stream.columns)) {
        const text = `${oneLine(piece)}\n`;
        if (bars === undefined) stream.write(text);
        else bars.log(text);
      }
      bars?.update();
    },
    end() {
      bars?.stop();
      bars = undefined;
    },
  };
}

const longestBar = 20;
const shortestBar = 6;

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
