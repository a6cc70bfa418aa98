import { MultiBar, type Options, type Params } from "cli-progress";
import type { Clock } from "../../model/clock.ts";
import { oneLine } from "../../model/escape-text.ts";
import { cutTo } from "../../model/row.ts";
import type { ImportProgress } from "../../model/run-events.ts";
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
  let lines = 0;
  type Drawn = { readonly lineOf: typeof fitProgress };
  const format = (_options: Options, { maxWidth }: Params, { lineOf }: Drawn) =>
    // In the last column some terminals begin a new line.
    latest === undefined ? "" : lineOf(describe(latest), maxWidth - 1);

  return {
    update(progress) {
      latest = progress;
      const isNew = lines === 0;
      const wanted = progress.phase === "send" && progress.problems.length > 0 ? 2 : 1;
      // A line that is printed takes the place of what was drawn. A kill has to leave a terminal that breaks lines.
      const own = { forceRedraw: true, clearOnComplete: true, linewrap: true };
      bars ??= new MultiBar({ stream, format, gracefulExit: false, ...own });
      for (; lines < wanted; lines++)
        bars.create(1, 0, { lineOf: lines === 0 ? fitProgress : fitReasons });
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
      lines = 0;
    },
  };
}

const longestBar = 20;
const shortestBar = 6;

/** Why most of what does not succeed does not, in a line of at most this width. */
export function fitReasons({ reasons }: ProgressDescription, width: number): string {
  const said = reasons.map((reason) => cutTo(maxReason, oneLine(reason)));
  return cutTo(width - 1, `  ${said.join(", ")}`);
}

/** Short, so that another reason can be seen beside it. */
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
