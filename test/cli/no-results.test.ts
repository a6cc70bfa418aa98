import { describe, expect, it } from "vitest";
import { situation } from "./situation.ts";

describe.each(["retry", "resume", "report"])("%s", (command) => {
  it("of a file that is not there says so before anything else", async () => {
    const { run, path } = await situation();
    const nowhere = path("nope.results.csv");
    const { status, stderr } = await run(`${command} ${nowhere}`);
    expect(status).toBe(2);
    const missing = command === "retry" ? "file" : "account of";
    expect(stderr).toContain(`eventload: There is no ${missing} ${nowhere}`);
  });
});
