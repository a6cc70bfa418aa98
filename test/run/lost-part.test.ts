import { appendFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { accepted, type Reply, startService } from "../delivery/service-under-test.ts";
import { openWorkspace } from "./import-under-test.ts";

const mapping =
  "version: 1\nresource: users\nevent: user.updated\nmembers:\n  name: { column: name, required: true }\n";
const part = "people.results.csv.part";

/** Ten rows, of which the third is invalid; something happens before the nth event has its answer. */
async function given(at: number, act: (path: string) => Promise<Reply | unknown>) {
  const names = Array.from({ length: 10 }, (_, row) => [row === 2 ? "" : `name ${row + 1}`]);
  const workspace = await openWorkspace([["name"], ...names], mapping);
  const service = await startService(async ({ n }): Promise<Reply> => {
    const reply = n === at ? await act(workspace.path(part)) : undefined;
    return (reply as Reply | undefined) ?? accepted;
  });
  return { ...workspace, ...service };
}

/** What happens to the lines of a part, while it is being written or while it is unfinished. */
const changes: [string, (path: string) => Promise<unknown>][] = [
  ["removed", (path) => rm(path)],
  ["moved", (path) => rename(path, `${path}.moved`)],
  ["replaced", (path) => rm(path).then(() => writeFile(path, "mine"))],
  ["cut", (path) => truncate(path, 20)],
];

describe("lines of a part that are not there any more are never taken for an account", () => {
  test.each([...changes, ["added to", (path: string) => appendFile(path, "more\n")] as const])(
    "%s while it is written",
    async (_, change) => {
      const { import: send, url, has, receipts } = await given(8, change);
      const ended = await send(url, { concurrency: 1 });
      expect(["files_changed", "disk", "not_reconciled"]).toContain(ended.exitReason);
      expect(ended.message).toContain(part);
      expect(receipts).toHaveLength(9);
      expect(has("people.results.csv")).toBe(false);
    },
  );

  test.each(changes)("%s while it is unfinished: nothing is sent", async (_, change) => {
    const { import: send, url, path, receipts } = await given(7, async () => ({ status: 401 }));
    expect(await send(url, { concurrency: 1 })).toMatchObject({ exitReason: "unauthorized" });
    await change(path(part));
    await expect(send(url, { resume: "must" })).rejects.toMatchObject({
      message: expect.stringContaining("people.results.csv"),
    });
    expect(receipts).toHaveLength(8);
  });
});
