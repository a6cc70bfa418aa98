import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { copyableCommand as commandShown } from "../../src/model/look/html.ts";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { scenario } from "./scenario.ts";

const command = (url: string) => [
  ...["import", "people.csv", "--mapping", "people.yaml", "--base-url", url],
  ...["--results", "out/people.results.csv"],
];

describe("a report", () => {
  it("can be had afterwards", async () => {
    const service = await sandboxUnderTest();
    const { eventload, read, folder } = await scenario("readme");
    await eventload(command(service.url));
    const report = ["report", "out/people.results.csv"];
    const { status, stdout, stderr } = await eventload([...report, "--json"]);
    expect(status).toBe(0);
    expect(stderr).toContain("it holds people's data");
    const page = await read("out/people.report.html");
    const figures = JSON.parse(stdout);
    expect(figures).toMatchObject({
      ...{ output: "out/people.report.html", bytes: Buffer.byteLength(page), missing: [] },
      ...{ delivered: 2, open: 1, next: "eventload retry out/people.failed.csv" },
    });

    // The mapping can be mended where the cells can: not without the failed rows.
    const { html: map } = commandShown("eventload map people.csv");
    expect(page).toContain(map);
    await rename(join(folder, "out/people.failed.csv"), join(folder, "fixed.csv"));
    expect((await eventload(report)).status).toBe(1);
    expect(await read("out/people.report.html")).not.toContain(map);
    await rename(join(folder, "fixed.csv"), join(folder, "out/people.failed.csv"));
    await rm(join(folder, "out/people.report.html"));
    const mail = await eventload([...report, "--text", "--mask-cells"]);
    expect(mail.stderr).toBe("");
    expect(existsSync(join(folder, "out/people.report.html"))).toBe(false);
    expect(mail.stdout.split("\n").length).toBeLessThanOrEqual(11);
    expect(mail.stdout).toContain("2 of 4 rows delivered, 1 still open, 1 left out");
    expect((await eventload([...report, "--text", "--json"])).status).toBe(2);
  });

  it("never takes the place of another file, and nothing is sent then", async () => {
    const service = await sandboxUnderTest();
    const { eventload, read } = await scenario("readme");
    const before = await read("people.csv");
    for (const path of ["people.csv", "people.yaml"]) {
      const { status, stderr } = await eventload([...command(service.url), "--report", path]);
      expect(status).toBe(2);
      expect(stderr).toContain(path);
    }
    expect(service.counts().requests).toBe(0);
    expect(await read("people.csv")).toBe(before);
  });
});
