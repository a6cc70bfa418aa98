import { mkdir } from "node:fs/promises";
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

  it("of a folder, or of the manifest, says which file is meant", async () => {
    const { run, path, write } = await situation();
    await mkdir(path("out"));
    const folder = await run(`${command} ${path("out")}`);
    expect(folder.stderr).toMatch(
      /out cannot be read: it is a folder; give the results of an import\.\n$/,
    );
    await write("out/people.run.json", "{}");
    const manifest = await run(`${command} ${path("out/people.run.json")}`);
    expect(manifest.status).toBe(2);
    expect(manifest.stderr).toContain("it is a manifest; give the results of an import.");
  });
});
