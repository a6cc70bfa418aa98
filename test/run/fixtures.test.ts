import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { lookAt, writeProposal } from "../../src/run/check/init.ts";
import { checkWithState } from "../../src/run/state/check-with-state.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Each folder has an `input.csv` or `input.xlsx`, and the mapping that is to be proposed for it. */
const root = fileURLToPath(new URL("../../fixtures/init", import.meta.url));

// What years of two digits mean depends on the year. Other files run in the same process.
beforeAll(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-27") });
});
afterAll(() => {
  vi.useRealTimers();
});

describe.each(readdirSync(root))("%s", (name) => {
  it("gives the expected mapping, with which no row is invalid", async () => {
    const file = readdirSync(join(root, name)).find((one) => /^input\.(csv|xlsx)$/.test(one));
    const input = join(root, name, file ?? "");
    const look = await lookAt({ input }, {});
    const proposed = look.propose({ schema: "./mapping.schema.json", maskSamples: false });
    await expect(proposed).toMatchFileSnapshot(join(root, name, "expected.yaml"));
    const mapping = join(await temporaryFolder(), "proposed.yaml");
    await writeProposal(mapping, proposed);
    expect(await checkWithState({ input, mapping })).toMatchObject({ problems: 0, skippedRows: 0 });
  });
});
