import { expect, test } from "vitest";
import { accepted, startService } from "../delivery/service-under-test.ts";
import { openWorkspace } from "./import-under-test.ts";

test("a run that --rate holds back says so, and one that nothing does says nothing", async () => {
  const names = Array.from({ length: 60 }, (_, at) => [`n ${at}`]);
  const mapping = "version: 1\nresource: users\nevent: e\nmembers:\n  name: name\n";
  const workspace = await openWorkspace([["name"], ...names], mapping);
  const service = await startService(() => accepted);
  const slow = await workspace.import(service.url, { ratePerSecond: 20 });
  expect(slow.limitedBy).toMatchObject({ limit: "rate", perSecond: 20 });
  const results = workspace.path("again.results.csv");
  expect((await workspace.import(service.url, { results, limit: 5 })).limitedBy).toBeUndefined();
});
