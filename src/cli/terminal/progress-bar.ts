import { type Options, type Params, SingleBar } from "cli-progress";
import type { Clock } from "../../model/clock.ts";
import type { ImportProgress } from "../../run/import-options.ts";
import type { OutputStream } from "../host.ts";
import { type BarTerminal, createBarTerminal } from "./bar-terminal.ts";
import { describeProgress } from "./describe-progress.ts";
import { fitProgressLines } from "./fit-progress-lines.ts";
import { wrapWords, writeLine } from "./lines.ts";
import type { ProgressDescription, ProgressPart } from "./progress-parts.ts";

/** A bar that is drawn anew in its place, with other lines above it. */
export function createProgressBar(
  stream: OutputStream,
  clock: Pick<Clock, "now">,
): ProgressDisplay {
  const describe = describeProgress(clock);
  const terminal = createBarTerminal(stream);
  let bar: SingleBar | undefined;
  let phase: ImportProgress["phase"] | undefined;
  let latest: ProgressDescription | undefined;

  const start = (description: ProgressDescription) => {
    latest = description;
    bar = new SingleBar(barOptions(terminal));
    bar.start(1, description.share ?? 0, { description } satisfies BarPayload);
  };
  const show = (description: ProgressDescription) => {
    latest = description;
    bar?.update(description.share ?? 0, { description } satisfies BarPayload);
  };
  const stop = () => {
    if (latest !== undefined) {
      show({ ...latest, parts: lasting(latest.parts), below: lasting(latest.below) });
    }
    bar?.stop();
    bar = undefined;
  };

  return {
    update(progress) {
      const description = describe(progress);
      if (phase === progress.phase) show(description);
      else {
        stop();
        start(description);
      }
      phase = progress.phase;
    },
    say(line) {
      if (bar !== undefined) terminal.clear();
      for (const piece of wrapWords(line, stream.columns)) writeLine(stream, piece);
      bar?.render();
    },
    end: stop,
  };
}

interface BarPayload {
  readonly description: ProgressDescription;
}

function barOptions(terminal: BarTerminal): Options & { readonly terminal: BarTerminal } {
  return {
    terminal,
    format: (_options, { maxWidth }: Params, { description }: BarPayload) =>
      fitProgressLines(description, maxWidth).join("\n"),
    linewrap: true,
    // What other lines or another width have done to it is not in what was drawn last.
    forceRedraw: true,
    gracefulExit: false,
  };
}

function lasting(parts: readonly ProgressPart[]): ProgressPart[] {
  return parts.filter(({ isPassing }) => isPassing !== true);
}

/** Shows how far a run is, and lets other lines come between. */
export interface ProgressDisplay {
  update(progress: ImportProgress): void;
  /** Prints a line without breaking the bar. */
  say(line: string): void;
  end(): void;
}
