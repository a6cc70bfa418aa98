import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFakeClock } from "../fake-clock.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { deliveryTo } from "./delivery-under-test.ts";
import { rowOf } from "./event-of.ts";
import { accepted, startService } from "./service-under-test.ts";

test("the first event goes alone again with a new token, and the others after it", {
  timeout: 20_000,
}, async () => {
  const path = join(await temporaryFolder(), "token");
  await writeFile(path, "new-token", { mode: 0o600 });
  const service = await startService(({ headers }) =>
    headers.authorization === "Bearer new-token" ? accepted : { status: 401 },
  );
  const { send } = await deliveryTo(service.url, {
    tokenSource: { kind: "file", path },
    clock: createFakeClock({ waitsForDisk: true }),
  });
  const outcomes = await Promise.all([1, 2, 3].map((row) => send(row)));
  expect(outcomes).toMatchObject(Array(3).fill({ status: "succeeded" }));
  expect(service.receipts.slice(0, 2).map(rowOf)).toEqual([1, 1]);
});
