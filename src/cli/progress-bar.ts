import { SingleBar } from "cli-progress";
import type { Clock } from "../delivery/clock.ts";
import type { ImportProgress } from "../import-options.ts";
import { describeProgress } from "./describe-progress.ts";
import { fitProgressLine } from "./fit-progress-line.ts";
import type { OutputStream } from "./host.ts";
import type { ProgressDisplay } from "./progress.ts";
import type { ProgressDescription } from "./progress-parts.ts";

/** Free at the end of the line: `^C` stands there when it is typed, and may not begin another. */
const marginColumns = 3;

/** A bar that is drawn anew in its line, with other lines above it. */
export function createProgressBar(
  stream: OutputStream,
  clock: Pick<Clock, "now">,
): ProgressDisplay {
  const describe = describeProgress(clock);
  let bar: SingleBar | undefined;
  let phase: ImportProgress["phase"] | undefined;
  let latest: ProgressDescription | undefined;
  let drawnChars = 0;
  let isAboutToDraw = false;

  const noticeSize = () => {
    isAboutToDraw = true;
    stream._refreshSize?.();
    isAboutToDraw = false;
  };
  const start = (description: ProgressDescription) => {
    bar = new SingleBar({
      stream: withoutCursorMemory(stream) as NodeJS.WriteStream,
      format: (_options, _params, { description: shown }: BarPayload) => {
        noticeSize();
        const line = fitProgressLine(shown, (stream.columns || 80) - marginColumns);
        drawnChars = line.length;
        return line;
      },
      linewrap: true,
      forceRedraw: true,
      fps: 4,
      gracefulExit: false,
    });
    bar.start(1, 0, { description } satisfies BarPayload);
  };
  /** A narrower terminal breaks what is drawn into several lines, and stands in the last of them. */
  const resized = () => {
    if (bar === undefined) return;
    const lines = Math.ceil(drawnChars / (stream.columns || 80));
    const up = lines > 1 ? `\u001b[${lines - 1}A` : "";
    stream.write(`${up}\r\u001b[J`);
    if (!isAboutToDraw) bar.render();
  };
  const stop = () => {
    if (latest !== undefined) {
      const parts = latest.parts.filter(({ isPassing }) => isPassing !== true);
      bar?.update({ description: { ...latest, parts } } satisfies BarPayload);
    }
    bar?.stop();
    bar = undefined;
  };
  stream.on("resize", resized);

  return {
    update(progress) {
      if (phase !== progress.phase) stop();
      latest = describe(progress);
      if (phase === progress.phase) bar?.update({ description: latest } satisfies BarPayload);
      else start(latest);
      phase = progress.phase;
    },
    say(line) {
      if (bar === undefined) stream.write(`${line}\n`);
      else {
        noticeSize();
        stream.write(`\r\u001b[K${line}\n`);
        bar.render();
      }
    },
    end() {
      stop();
      stream.off("resize", resized);
    },
  };
}

interface BarPayload {
  readonly description: ProgressDescription;
}

/**
 * The bar saves the place of the cursor at its start and goes back there at its end; with lines
 * printed in between, that would be in the middle of them.
 */
function withoutCursorMemory(stream: OutputStream): OutputStream {
  return new Proxy(stream, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name !== "write") return value.bind(target);
      return (text: string) =>
        text === "\u001b7" || text === "\u001b8" ? true : target.write(text);
    },
  });
}
