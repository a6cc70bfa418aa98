import { describe, expect, onTestFinished, test } from "vitest";
import { openResultsFile } from "../../src/input/open-results-file.ts";
import type { RetryOptions } from "../../src/run/import-options.ts";
import { refuseDoubledLines } from "../../src/run/refuse-doubled-lines.ts";
import { accepted, startService } from "../delivery/service-under-test.ts";
import { readAll, streamOf } from "../input/given-bytes.ts";
import { resultsText, type Told } from "../input/given-results.ts";
import { openWorkspace, type Workspace } from "./import-under-test.ts";

const mapping = `version: 1
resource: users
event: user.updated
members: { name: Name }
`;

/** Three people, of whom the service has taken the first alone. */
async function partlyRefused() {
  const first = await startService(({ n }) => (n === 0 ? accepted : { status: 422 }));
  const service = await startService(() => accepted);
  const people = await openWorkspace([["Name"], ["Ann"], ["Bo"], ["Cy"]], mapping);
  onTestFinished(people.remove);
  await people.import(first.url);
  return { people, url: service.url, received: () => service.receipts.length };
}

/** Writes the lines of one file, and below them those of another. */
async function paste(people: Workspace, above: string, below: string): Promise<void> {
  const [, ...lines] = (await people.text(below)).split(/(?<=\n)/);
  await people.write("people.results.csv", (await people.text(above)) + lines.join(""));
}

describe("an event that stands in a results file twice keeps everything from being sent", () => {
  test.each<[string, string, string, Partial<RetryOptions>, string]>([
    ["", "people.results.csv", "people.failed.csv", {}, "line 3 (rejected) and line 5 (rejected)"],
    [
      ", not checked",
      ...(["people.results.csv", "people.failed.csv"] as const),
      { check: false },
      "line 3 (rejected) and line 5 (rejected)",
    ],
    [
      ", the other line not among the chosen rows",
      ...(["people.failed.csv", "people.results.csv"] as const),
      { limit: 2 },
      "line 2 (rejected) and line 5 (rejected)",
    ],
  ])("failed rows pasted%s", async (_how, above, below, options, lines) => {
    const { people, url, received } = await partlyRefused();
    await paste(people, above, below);
    await expect(people.retry(url, "people.results.csv", options)).rejects.toThrow(
      `people.results.csv: ${lines} are both for event 1 of row 2, which must not be sent twice`,
    );
    expect(received()).toBe(0);
    expect(people.has("people.retry-1.results.csv")).toBe(false);
  });

  test("also where one of them was fixed, and where one has succeeded since", async () => {
    const { people, url, received } = await partlyRefused();
    await people.retry(url, "people.failed.csv");
    expect(received()).toBe(2);
    await people.write(
      "people.failed.csv",
      (await people.text("people.failed.csv")).replace("Bo", "Bob"),
    );
    await paste(people, "people.failed.csv", "people.retry-1.results.csv");
    await expect(people.retry(url, "people.results.csv")).rejects.toThrow(
      "line 2 (rejected) and line 4 (succeeded) are both for event 1 of row 2",
    );
    await paste(people, "people.retry-1.results.csv", "people.failed.csv");
    await expect(people.retry(url, "people.results.csv")).rejects.toThrow(
      "line 2 (succeeded) and line 4 (rejected) are both for event 1 of row 2",
    );
    expect(received()).toBe(2);
  });
});

/** What is said of the lines of a results file, and how many of them are passed on. */
async function told(...lines: Told[]): Promise<string | number> {
  const text = resultsText(
    ["name"],
    lines.map((line) => ({ cells: ["Ann"], told: line })),
  );
  const { rows, damage } = await readAll(streamOf(text), async (spec, ...more) => {
    const source = await openResultsFile(spec, ...more);
    return { ...source, batches: refuseDoubledLines(source.batches) };
  });
  if (damage !== undefined) expect(damage.line).toBe(rows.length + 2);
  return damage === undefined ? rows.length : (damage.message.split(",")[0] ?? "");
}

const [idOne, idTwo] = [1, 2].map((last) => `5e4f3c1a-0000-5000-8000-00000000000${last}`) as [
  string,
  string,
];

describe("which lines are for the same event", () => {
  test.each<[string, Told[]]>([
    ["other events of a row", [{ import_event: "1" }, { import_event: "2" }]],
    ["rows of other inputs", [{}, { import_input: "fedcba9876543210" }]],
    [
      "rows whose inputs are not named, with ids",
      [
        { import_input: "", import_event_id: idOne },
        { import_input: "", import_event_id: idTwo },
      ],
    ],
    ["lines of which none is sent", [{ import_status: "succeeded" }, { import_status: "skipped" }]],
    ["rows that somebody has added", [{}, blank(), blank()]],
    ["rows far apart", [{}, { import_row: "4097" }, { import_row: "900000000000000" }]],
  ])("not %s", async (_what, lines) => {
    expect(await told(...lines)).toBe(lines.length);
  });

  test.each<[string, Told[]]>([
    ["the same row and event", [{}, {}]],
    ["one that succeeded, below", [{}, { import_status: "succeeded" }]],
    ["one that succeeded, above", [{ import_status: "succeeded" }, {}]],
    ["a row, and an event of it", [{ import_event: "" }, { import_event: "2" }]],
    ["an event of a row, and the row", [{ import_event: "2" }, { import_event: "" }]],
    ["an id, where the row is lost", [{ import_row: "" }, { import_row: "" }]],
    ["an id, where the input is lost", [{ import_input: "" }, { import_input: "" }]],
  ])("%s", async (_what, lines) => {
    expect(await told({ import_row: "7", import_event_id: idTwo }, ...lines)).toMatch(
      /^line 4 \(\w+\) and a line before it are both for /,
    );
  });
});

function blank(): Told {
  return {
    ...{ import_row: "", import_event: "", import_status: "", import_event_id: "" },
    ...{ import_input: "", import_finished_at: "" },
  };
}
