import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startService } from "../delivery/service-under-test.ts";
import { xlsxParts, xlsxRow, zipOf } from "../input/given-workbook.ts";
import { scenario } from "./scenario.ts";

/** The program promises 256 MB. A busy machine clears a heap later. Without bounds these take 600 and more. */
const most = 450 * 1024;
// Not `maxRSS`: on Linux that begins with what the process had that started this one.
const sayMost = `import { readFileSync } from "node:fs";
  process.on("exit", () => process._rawDebug(readFileSync("/proc/self/status", "utf8")))`;
const measured = { node: ["--import", `data:text/javascript,${encodeURIComponent(sayMost)}`] };
const mostOf = (stderr: string) => Number(/VmHWM:\s+(\d+) kB/.exec(stderr)?.[1]);

it.skipIf(process.platform !== "linux")(
  "a table of texts that unpacks to hundreds of megabytes is refused",
  async () => {
    const place = await scenario("plain");
    const texts = `<sst>${`<si><t>${"x".repeat(1000)}</t></si>`.repeat(400_000)}</sst>`;
    const rows = xlsxRow("Email", "First Name", "Code") + xlsxRow("a@example.com", "A", "1");
    const parts = xlsxParts(rows, { "xl/sharedStrings.xml": texts });
    await writeFile(join(place.folder, "people.xlsx"), zipOf(parts));
    const { status, stderr } = await place.program(
      "check people.xlsx --mapping people.yaml",
      measured,
    );
    expect([status, stderr]).toEqual([2, expect.stringContaining("save the sheet as CSV")]);
    expect(mostOf(stderr)).toBeLessThan(most);
  },
  300_000,
);

it.skipIf(process.platform !== "linux")(
  "rows of thousands of cells that wait for an answer take what is allowed",
  async () => {
    const rows = 1000;
    const place = await scenario("plain");
    const header = ["Email", "First Name", "Code", ...Array(16_381).fill("")].map((name, at) =>
      name === "" ? `c${at}` : name,
    );
    const line = (at: number) => `p${at}@example.com,P,1${",".repeat(header.length - 3)}`;
    const lines = Array.from({ length: rows }, (_, at) => line(at));
    await writeFile(join(place.folder, "people.csv"), `${header.join()}\n${lines.join("\n")}\n`);
    const service = await startService(async ({ n }) => {
      // The second event, and with it the lines of all others.
      if (n === 1) await service.received(rows);
      return { status: 202 };
    });
    const { status, stderr } = await place.program(
      `import people.csv --mapping people.yaml --base-url ${service.url} --timeout 5m`,
      measured,
    );
    expect([status, service.receipts.length]).toEqual([0, rows]);
    expect(mostOf(stderr)).toBeLessThan(most);
  },
  300_000,
);
