import { expect, it } from "vitest";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { situation } from "./situation.ts";

it("names what is left to retry as it can be typed", async () => {
  const { url } = await sandboxUnderTest();
  const { import: send, run, path, write } = await situation();
  await write("people.csv", "Email,First Name,Code\na@x,A,1\n,B,2\n");
  await send(["--base-url", url, "--results", path("staging small.results.csv")]);
  const retry = () => run(["retry", path("staging small.failed.csv")]);
  expect((await retry()).stderr).not.toContain("was retried before");
  expect((await retry()).stderr).toContain(
    `to send only what is left, retry '${path("staging small.retry-1.results.csv")}'.`,
  );
});
