import { once } from "node:events";
import { expect, it } from "vitest";
import { sandboxUnderTest } from "../../sandbox/sandbox-under-test.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { eventload } from "../fake-host.ts";
import { startProgram } from "../running-program.ts";

it("a sandbox on a port that is in use says how to get another", async () => {
  const { port } = await sandboxUnderTest();
  const { status, stderr } = await eventload(`sandbox --port ${port}`);
  expect(status).toBe(2);
  expect(stderr).toBe(
    `eventload: sandbox: port ${port} is in use; give another --port, or 0 for any that is free.\n`,
  );
});

it.each(["20s", "20s@60s@5s", "0s@5s"])("--outage %s is refused", async (given) => {
  const { status, stderr } = await eventload(`sandbox --outage ${given}`);
  expect(status).toBe(2);
  expect(stderr).toContain(`--outage: "${given}" is not how long and when, such as 20s@60s`);
});

it("a path prefix that is none is refused by the name of the flag", async () => {
  const { status, stderr } = await eventload("sandbox --prefix foo?x");
  expect(status).toBe(2);
  expect(stderr).toBe("eventload: sandbox: --prefix has to be a path without ? and #.\n");
});

it("the built program misbehaves as it is told, and has its page", async () => {
  const faults = ["--outage", "1h@0", "--hang-rate", "0.1"];
  const cwd = await temporaryFolder();
  const { child, ended, stderrHas } = startProgram(["sandbox", ...faults], { cwd });
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  const url = String((await once(child.stdout, "data"))[0]).trim();
  const headers = { authorization: "Bearer x", "content-type": "application/json" };
  const body = '{"event":"a"}';
  const answer = await fetch(`${url}/v1/users/events`, { method: "POST", headers, body });
  expect(answer.status).toBe(503);
  await stderrHas(" in a browser");
  const [, page = ""] = /Open (\S+) in a browser/.exec(said) ?? [];
  expect(await (await fetch(page)).text()).toContain("<title>eventload sandbox</title>");
  const state = await (await fetch(`${page}state.json`)).json();
  expect(state).toMatchObject({ counts: { requests: 1, failed: { 503: 1 } } });
  child.kill("SIGINT");
  const { status, stderr } = await ended;
  expect(status).toBe(0);
  expect(stderr).toContain("Failed: 1");
});
