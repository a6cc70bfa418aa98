import { MultiBar, type SingleBar } from "cli-progress";
import type { Clock } from "../delivery/clock.ts";
import { isDone } from "../domain/outcome.ts";
import type { ImportProgress } from "../import-options.ts";
import type { OutputStream } from "./host.ts";
import { count, duration, grouped } from "./summary.ts";

/** Shows how far a run is, and lets other lines come between. */
export interface ProgressDisplay {
  update(progress: ImportProgress): void;
  /** Prints a line without breaking the bar. */
  say(line: string): void;
  end(): void;
}

/** A bar on a terminal; a line every ten seconds elsewhere; nothing where it is to be quiet. */
export function createProgress(
  stream: OutputStream,
  quiet: boolean,
  clock: Pick<Clock, "now">,
): ProgressDisplay {
  if (quiet) {
    return { update() {}, say: (line) => stream.write(`${line}\n`), end() {} };
  }
  return stream.isTTY === true ? onTerminal(stream, clock) : inLines(stream, clock);
}

function onTerminal(stream: OutputStream, clock: Pick<Clock, "now">): ProgressDisplay {
  const bars = new MultiBar({
    stream: stream as NodeJS.WriteStream,
    format: "{phase} [{bar}] {text}",
    barsize: 20,
    barCompleteChar: "=",
    barIncompleteChar: " ",
    fps: 8,
    emptyOnZero: true,
    clearOnComplete: false,
    gracefulExit: false,
  });
  const describe = createDescriber(clock);
  let bar: SingleBar | undefined;
  let phase: ImportProgress["phase"] | undefined;
  return {
    update(progress) {
      const { done, total, text } = describe(progress);
      if (phase !== progress.phase) {
        bar?.stop();
        bar = bars.create(total, done, { phase: phaseWords[progress.phase], text });
        phase = progress.phase;
      }
      bar?.setTotal(total);
      bar?.update(done, { phase: phaseWords[progress.phase], text });
    },
    say(line) {
      if (bar === undefined) stream.write(`${line}\n`);
      else bars.log(`${line}\n`);
    },
    end() {
      bars.update();
      bars.stop();
    },
  };
}

const lineEveryMs = 10_000;

function inLines(stream: OutputStream, clock: Pick<Clock, "now">): ProgressDisplay {
  const describe = createDescriber(clock);
  let lastMs = clock.now();
  return {
    update(progress) {
      const { text } = describe(progress);
      if (clock.now() - lastMs < lineEveryMs) return;
      lastMs = clock.now();
      stream.write(`${phaseWords[progress.phase].trim()}: ${text}\n`);
    },
    say: (line) => stream.write(`${line}\n`),
    end() {},
  };
}

const phaseWords: Record<ImportProgress["phase"], string> = {
  check: "checking",
  send: "sending ",
};

interface Description {
  readonly done: number;
  readonly total: number;
  readonly text: string;
}

function createDescriber(clock: Pick<Clock, "now">): (progress: ImportProgress) => Description {
  let startedMs = clock.now();
  let phase: ImportProgress["phase"] | undefined;
  return (progress) => {
    if (phase !== progress.phase) startedMs = clock.now();
    phase = progress.phase;
    const seconds = (clock.now() - startedMs) / 1000;
    switch (progress.phase) {
      case "check": {
        const { rows, invalidRows, bytesRead, totalBytes } = progress;
        const invalid = invalidRows === 0 ? "" : `, ${grouped(invalidRows)} invalid`;
        const total = totalBytes ?? bytesRead;
        return { done: bytesRead, total, text: `${count(rows, "row")}${invalid}` };
      }
      case "send": {
        const { counts, rowsRead, rowsEnded, rowsTotal, inFlight, pausedForMs } = progress;
        const done = rowsEnded;
        const total = rowsTotal ?? rowsRead;
        let notSucceeded = 0;
        for (const [ending, number] of Object.entries(counts)) {
          if (!isDone(ending as keyof typeof counts)) notSucceeded += number;
        }
        const rate = seconds > 0 ? done / seconds : 0;
        const of = rowsTotal === undefined ? "" : ` of ${grouped(rowsTotal)}`;
        const parts = [
          `${grouped(done)}${of} rows`,
          `${grouped(Math.round(rate))}/s`,
          `${grouped(counts.succeeded)} succeeded`,
          `${grouped(notSucceeded)} not`,
          `${inFlight} in flight`,
        ];
        if (pausedForMs > 0) {
          parts.push(`service asked to wait, ${Math.ceil(pausedForMs / 1000)} s`);
        } else if (rowsTotal !== undefined && done < rowsTotal) {
          parts.push(`ETA ${done > 0 ? duration(((rowsTotal - done) / rate) * 1000) : "unknown"}`);
        }
        return { done, total, text: parts.join(", ") };
      }
    }
  };
}
