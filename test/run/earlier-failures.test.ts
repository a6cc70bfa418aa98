import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeDisk } from "../../src/model/disk/node-disk.ts";
import type { OnKeyFailure } from "../../src/model/key-failure.ts";
import { resultsColumns } from "../../src/model/results-columns.ts";
import type { Row } from "../../src/model/row.ts";
import { readEarlierFailures } from "../../src/run/earlier-failures.ts";
import { cutWhen, startService } from "../delivery/service-under-test.ts";
import { head, mapper } from "../mapping/given-mapping.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { openWorkspace } from "./import-under-test.ts";
import { accepted, eventIn } from "./planned-people.ts";

const members = "members:\n  name: { column: name, required: true }\n";
const ordered = mapper(`${head}ordering_key: [key]\n${members}`, ["key", "name"]);
const unordered = mapper(`${head}${members}`, ["key", "name"]);

async function keysIn(
  lines: readonly (readonly string[])[],
  { mapRow = ordered, onKeyFailure = "default" as OnKeyFailure } = {},
) {
  const file = join(await temporaryFolder(), "people.failed.csv");
  const text = [["key", "name", ...resultsColumns], ...lines].map((cells) => cells.join(","));
  await writeFile(file, `${text.join("\n")}\n`);
  const found: { key: string; row: number }[] = [];
  const keyOf = (row: Row) => mapRow(row).orderingKey;
  const failures = readEarlierFailures(nodeDisk, file, { keyOf, onKeyFailure });
  for await (const { blockedKey: key, row } of failures) {
    if (key !== undefined) found.push({ key, row });
  }
  return found;
}

function line(key: string, row: number, status: string, name = "Ann"): string[] {
  const cells: Record<string, string> = {
    ...{ import_row: `${row}`, import_event: "1", import_status: status },
    ...{ import_unanswered: "0", import_attempts: "1", import_line: `${row + 1}` },
  };
  return [key, name, ...resultsColumns.map((column) => cells[column] ?? "")];
}

describe("the keys that are held back", () => {
  test.each<[OnKeyFailure, number[]]>([
    ["default", [12, 14]],
    ["block", [12, 13, 14, 17]],
    ["continue", []],
  ])("are, with on_key_failure %s, those of rows %j", async (onKeyFailure, rows) => {
    const lines = [
      line("a", 12, "failed"),
      line("b", 13, "rejected"),
      line("c", 14, "unknown"),
      line("d", 15, "blocked"),
      line("", 16, "failed"),
      line("f", 17, "invalid", ""),
    ];
    const found = await keysIn(lines, { onKeyFailure });
    expect(found).toEqual(rows.map((row) => ({ key: "abcdefg"[row - 12], row })));
  });

  test("are none where nothing has failed, or the mapping asks for no order", async () => {
    const found = await keysIn([line("a", 12, "failed")], { mapRow: unordered });
    const held = { keyOf: () => "a", onKeyFailure: "default" } as const;
    for await (const { row } of readEarlierFailures(nodeDisk, undefined, held)) {
      found.push({ key: "", row });
    }
    expect(found).toEqual([]);
  });
});

describe("a key that failed", () => {
  const mapping = `version: 1
resource: users
event: user.updated
ordering_key: [key]
members: { row: { meta: row }, id: { meta: event_id }, key: key }
`;

  /** Twenty rows of two keys, the second of which fails; the first part ends at a later request. */
  async function endedBy(kind: "kill" | "drain", request: number) {
    const table = Array.from({ length: 20 }, (_, at) => [at % 2 === 0 ? "a" : "b"]);
    const begun = await openWorkspace([["key"], ...table], mapping);
    onTestFinished(begun.remove);
    const interrupt = new AbortController();
    let workspace = begun;
    let isResumed = false;
    const service = await startService((receipt) => {
      if (receipt.n === request) {
        if (kind === "drain") interrupt.abort();
        else {
          workspace = begun.afterKill();
          onTestFinished(workspace.remove);
          setImmediate(() => interrupt.abort());
        }
      }
      if (kind === "kill" && receipt.n >= request && !isResumed) {
        return cutWhen(interrupt.signal);
      }
      return eventIn(receipt).row === 2 ? { status: 500 } : accepted;
    });
    await begun.import(service.url, {
      concurrency: 2,
      signal: interrupt.signal,
    });
    isResumed = true;
    const received = service.receipts.length;
    expect(received).toBeGreaterThan(request);
    const rowsSince = () => service.receipts.slice(received).map((at) => eventIn(at).row);
    return { workspace, url: service.url, rowsSince };
  }

  test.each([
    ["kill", 4],
    ["kill", 6],
    ["kill", 10],
    ["drain", 4],
    ["drain", 6],
    ["drain", 10],
  ] as const)("before a %s at request %i stays held back after it", async (kind, request) => {
    const { workspace, url, rowsSince } = await endedBy(kind, request);
    expect(await workspace.import(url, { concurrency: 2, resume: "must" })).toMatchObject({
      exitReason: "complete",
      counts: { succeeded: 10, blocked: 9 },
    });
    const results = await workspace.lines("people.results.csv");
    expect(results.filter((at) => at.key === "b").map((at) => at.import_status)).toEqual([
      expect.stringMatching(/failed|unknown/),
      ...Array(9).fill("blocked"),
    ]);
    expect(results[3]?.import_error).toContain("row 2 of the same ordering key");
    expect(rowsSince().filter((row) => row % 2 === 0 && row !== 2)).toEqual([]);
  });
});
