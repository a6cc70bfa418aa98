import { describe, expect, test } from "vitest";
import type { Outcome } from "../../src/model/outcome.ts";
import type { Row } from "../../src/model/row.ts";
import { resultLine } from "../../src/results/row-lines.ts";

const rejected: Outcome = { status: "rejected", event: 0, attempts: 1, unanswered: 0 };

describe("the line of a key that is gone", () => {
  const earlier = { event: 0, unanswered: 0, errorCode: "", error: "", eventId: "" };

  test.each<[string, Partial<Row>]>([
    ["of a run", { isGone: true }],
    ["of its retry", { earlier }],
  ])("%s names no line of the input, and says gone", (_, more) => {
    const row: Row = { row: 4, line: 2, cells: ["a@x"], ...more };
    const part = { inputId: "0123456789abcdef", hasSources: false, part: 3 };
    const line = resultLine(row, row.cells, rejected, part);
    expect(line).toBe("a@x,4,,gone,rejected,,1,0,,,,0123456789abcdef,3,\n");
  });
});
