import type { Clock } from "../delivery/clock.ts";
import type { ImportProgress } from "../import-options.ts";
import { describeProgress } from "./describe-progress.ts";
import { fitProgressLines } from "./fit-progress-lines.ts";
import type { OutputStream } from "./host.ts";
import type { ProgressDisplay } from "./progress.ts";
import type { ProgressDescription, ProgressPart } from "./progress-parts.ts";
import { createRedrawnLines } from "./redrawn-lines.ts";
import { wrapWords } from "./wrap-words.ts";

const betweenDrawingsMs = 100;

/** A bar that is drawn anew in its place, with other lines above it. */
export function createProgressBar(
  stream: OutputStream,
  clock: Pick<Clock, "now">,
): ProgressDisplay {
  const describe = describeProgress(clock);
  let phase: ImportProgress["phase"] | undefined;
  let latest: ProgressDescription | undefined;
  let drawnMs = Number.NEGATIVE_INFINITY;
  const shown = createRedrawnLines(stream, (columns) =>
    latest === undefined ? [] : fitProgressLines(latest, columns),
  );

  const draw = () => {
    shown.draw();
    drawnMs = clock.now();
  };
  const stop = () => {
    if (latest === undefined) return;
    latest = { ...latest, parts: lasting(latest.parts), below: lasting(latest.below) };
    shown.draw();
    shown.leave();
    latest = undefined;
    drawnMs = Number.NEGATIVE_INFINITY;
  };

  return {
    update(progress) {
      if (phase !== progress.phase) stop();
      phase = progress.phase;
      latest = describe(progress);
      if (clock.now() - drawnMs >= betweenDrawingsMs) draw();
    },
    say(line) {
      shown.clear();
      for (const piece of wrapWords(line, stream.columns)) stream.write(`${piece}\n`);
      if (latest !== undefined) draw();
    },
    end() {
      stop();
      shown.end();
    },
  };
}

function lasting(parts: readonly ProgressPart[]): ProgressPart[] {
  return parts.filter(({ isPassing }) => isPassing !== true);
}
