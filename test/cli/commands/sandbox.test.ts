import { expect, it } from "vitest";
import { sandboxUnderTest } from "../../sandbox/sandbox-under-test.ts";
import { eventload } from "../fake-host.ts";

it("a sandbox on a port that is in use says how to get another", async () => {
  const { port } = await sandboxUnderTest();
  const { status, stderr } = await eventload(["sandbox", "--port", `${port}`]);
  expect(status).toBe(2);
  expect(stderr).toBe(
    `eventload: sandbox: port ${port} is in use; give another --port, or 0 for any that is free.\n`,
  );
});
