import { expect, test } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/sandbox-options.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { CONTACTS, post, sandboxUnderTest, USERS } from "./sandbox-under-test.ts";

test.each<[SandboxOptions, string]>([
  [{ port: 70_000 }, "70000"],
  [{ latencyMs: -1 }, "times have to be 0 or more"],
  [{ latencyMs: Number.NaN }, "times"],
  [{ outage: { forMs: -1, afterMs: 0 } }, "times"],
  [{ failRate: 1.1 }, "rates have to be from 0 to 1"],
  [{ failRate: 0.75, resetRate: 0.5 }, "the sum of failRate, resetRate and hangRate"],
  [{ rateLimitPerSecond: 0 }, "rateLimitPerSecond has to be more than 0"],
  [{ seed: 0.5 }, "seed has to be a whole number"],
  [{ pathPrefix: "/a?b" }, "pathPrefix has to be a path without ? and #"],
  [{ token: " " }, "token has to be printable ASCII without blanks"],
  [{ token: "line\n" }, "token"],
])("%o is refused", async (options, message) => {
  const start = startSandbox(options);
  await expect(start).rejects.toThrow(RangeError);
  await expect(start).rejects.toThrow(message);
});

test.each([
  [undefined, ""],
  ["/", ""],
  ["tenant", "/tenant"],
  ["/a/b/", "/a/b"],
  ["/tenant-a/é/", "/tenant-a/%C3%A9"],
])("the path prefix %j gives %j", async (pathPrefix, expected) => {
  const sandbox = await sandboxUnderTest({ pathPrefix });
  expect(sandbox.url).toBe(`http://127.0.0.1:${sandbox.port}${expected}`);
  for (const path of [USERS, CONTACTS]) expect((await post(sandbox, { path })).status).toBe(202);
  if (expected === "") return;
  const unprefixed = { ...sandbox, url: `http://127.0.0.1:${sandbox.port}` };
  expect((await post(unprefixed)).status).toBe(404);
});
