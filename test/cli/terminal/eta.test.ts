import { describe, expect, it } from "vitest";
import { describeProgress } from "../../../src/cli/terminal/describe-progress.ts";
import { plain } from "../../../src/cli/terminal/lines.ts";
import { fitProgressLines } from "../../../src/cli/terminal/progress-bar.ts";
import { noCounts } from "../../../src/model/outcome.ts";
import { sending } from "./progress-given.ts";

describe("the time left", () => {
  type Step = readonly [atSeconds: number, ...Parameters<typeof sending>];

  const at = (seconds: number, ...given: Parameters<typeof sending>): Step => [seconds, ...given];

  /** The time left at the last of several moments. */
  function etaAfter(steps: readonly Step[]): string | undefined {
    let nowMs = 0;
    const describe = describeProgress({ now: () => nowMs });
    let line = "";
    for (const [atSeconds, ...given] of steps) {
      nowMs = atSeconds * 1000;
      [line = ""] = fitProgressLines(describe(sending(...given)), 200, plain);
    }
    return /ETA ([^,]*)/.exec(line)?.[1];
  }

  const firstAnswer = { sending: { waitsFor: { kind: "first_answer" } as const } };

  it.each<[string, string | undefined, Step[]]>([
    ["at first", "unknown", [at(0, 0)]],
    ["before anything has ended", "unknown", [at(0, 0), at(5, 0)]],
    ["in the first second", "unknown", [at(0, 0), at(0.9, 400)]],
    ["at a steady rate", "10 s", [at(0, 0), at(5, 350), at(10, 656)]],
    ["beyond what anybody waits for", "unknown", [at(0, 0), at(10, 1, { rowsTotal: 1e9 })]],
    ["when all has ended", undefined, [at(0, 0), at(10, 1312)]],
    ["of hours", "2 h 46 min", [at(0, 0), at(10, 10, { rowsTotal: 10_010 })]],
    [
      "where most rows were left out, by the events that are left",
      "1 min 30 s",
      [
        at(0, 0, { eventsTotal: 100 }),
        at(10, 1010, { eventsTotal: 100, counts: { ...noCounts(), succeeded: 10, skipped: 1000 } }),
      ],
    ],
    [
      "where the service has stopped answering",
      "unknown",
      [at(0, 0), at(5, 300), at(10, 300), at(15, 300)],
    ],
    [
      "after a first answer that came late, by the speed since then",
      "10 s",
      [at(0, 0, firstAnswer), at(60, 0, firstAnswer), at(60.1, 0), at(70, 656)],
    ],
    [
      "while it stops",
      undefined,
      [at(0, 0), [10, 656, { sending: { waitsFor: { kind: "stop" } } }]],
    ],
  ])("%s", (_, eta, steps) => {
    expect(etaAfter(steps)).toBe(eta);
  });
});
