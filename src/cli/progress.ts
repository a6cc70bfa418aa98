import { SingleBar } from "cli-progress";
import type { Clock } from "../delivery/clock.ts";
import type { ImportProgress } from "../import-options.ts";
import { describeProgress } from "./describe-progress.ts";
import { fitProgressLine, wholeProgressLine } from "./fit-progress-line.ts";
import type { Host, OutputStream } from "./host.ts";
import type { ProgressDescription } from "./progress-parts.ts";

/** Shows how far a run is, and lets other lines come between. */
export interface ProgressDisplay {
  update(progress: ImportProgress): void;
  /** Prints a line without breaking the bar. */
  say(line: string): void;
  end(): void;
}

/** A bar on a terminal; a line every ten seconds elsewhere; nothing where it is to be quiet. */
export function createProgress(
  { stderr, env }: Pick<Host, "stderr" | "env">,
  quiet: boolean,
  clock: Pick<Clock, "now">,
): ProgressDisplay {
  if (quiet) return { update() {}, say: (line) => stderr.write(`${line}\n`), end() {} };
  // A dumb terminal cannot go back to the beginning of a line.
  const canRedraw = stderr.isTTY === true && env.TERM !== "dumb";
  return canRedraw ? onTerminal(stderr, clock) : inLines(stderr, clock);
}

/** Free at the end of the line: `^C` stands there when it is typed, and may not begin another. */
const marginColumns = 3;

function onTerminal(stream: OutputStream, clock: Pick<Clock, "now">): ProgressDisplay {
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

const lineEveryMs = 10_000;

function inLines(stream: OutputStream, clock: Pick<Clock, "now">): ProgressDisplay {
  const describe = describeProgress(clock);
  let lastMs = clock.now();
  return {
    update(progress) {
      const description = describe(progress);
      if (clock.now() - lastMs < lineEveryMs) return;
      lastMs = clock.now();
      stream.write(`${wholeProgressLine(description)}\n`);
    },
    say: (line) => stream.write(`${line}\n`),
    end() {},
  };
}
