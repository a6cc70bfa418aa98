import { describe, expect, it } from "vitest";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { situation } from "./situation.ts";

const tokens = { staging: "token-of-staging", top: "token-of-the-file" };

/**
 * A run with a row that did not succeed, made by `--target staging` beside a token and an address of
 * the file's own; what a retry of it does, once the file says something else.
 */
async function runOfStaging() {
  const staging = await sandboxUnderTest({ token: tokens.staging });
  const other = await sandboxUnderTest();
  const place = await situation();
  const { write, path, run, read } = place;
  await write("staging.token", `${tokens.staging}\n`);
  await write("top.token", `${tokens.top}\n`);
  const target = (name: string, url: string) =>
    `  ${name}: { base_url: "${url}", token_file: "${path("staging.token")}" }\n`;
  const yaml = (targets: string, top = `base_url: ${other.url}\n`) =>
    `${top}token_file: ${path("top.token")}\ntargets:\n${targets === "" ? "  none: {}\n" : targets}`;
  const configure = (targets: string, top?: string) => write("eventload.yaml", yaml(targets, top));
  await configure(target("staging", staging.url));
  await write("people.csv", "Email,First Name,Code\na@x,A,1\n,B,2\n");
  const mapping = ["--mapping", path("people.yaml")];
  const noToken = { env: { EVENTLOAD_TOKEN: "" } };
  const sent = await run(
    ["import", path("people.csv"), ...mapping, "--target", "staging"],
    noToken,
  );
  expect(sent).toMatchObject({ status: 1 });
  expect(JSON.parse(await read("people.run.json"))).toMatchObject({
    target: "staging",
    base_url: staging.url,
  });
  await write("people.failed.csv", (await read("people.failed.csv")).replace(",B,2", "b@x,B,2"));
  return {
    ...{ ...place, staging, other, target, configure },
    retry: (more = "", env: Record<string, string> = {}) =>
      run(`retry ${path("people.failed.csv")} ${more}`, { env: { EVENTLOAD_TOKEN: "", ...env } }),
  };
}

describe("a retry of a run that went to a target", () => {
  it("takes that target's token there, whatever the file and the environment name now", async () => {
    const { retry, staging, other, target, configure, read } = await runOfStaging();
    await configure(`${target("staging", staging.url)}  else: { base_url: "${other.url}" }\n`);
    const { status } = await retry("", {
      ...{ EVENTLOAD_TARGET: "else", EVENTLOAD_BASE_URL: other.url },
      ...{ EVENTLOAD_TOKEN: "of-another-service" },
    });
    expect(status).toBe(0);
    expect(staging.counts()).toMatchObject({ accepted: { users: 2 }, refused: {} });
    expect(other.counts().requests).toBe(0);
    const manifest = JSON.parse(await read("people.run.json"));
    expect(manifest).toMatchObject({ target: "staging", base_url: staging.url });
  });

  it("sends nothing where the target is gone, and says what has its address now", async () => {
    const { retry, staging, other, target, configure } = await runOfStaging();
    await configure(target("stage", staging.url));
    const { status, stderr } = await retry("", { EVENTLOAD_TOKEN: "of-another-service" });
    expect(status).toBe(2);
    expect(stderr).toContain(`went to ${staging.url} as target "staging", which`);
    expect(stderr).toContain(
      "which eventload.yaml does not have at that address now: give its token with --token-file, or type the --target that has it. Nothing was sent.",
    );
    expect(staging.counts().requests + other.counts().requests).toBe(1);
    expect((await retry("--target stage")).status).toBe(0);
    expect(other.counts().requests).toBe(0);
  });

  it("goes to where the target is now, if that is named, and says so", async () => {
    const { retry, staging, other, target, configure } = await runOfStaging();
    await configure(target("staging", other.url));
    const elsewhere = await retry("--target staging");
    expect(elsewhere.status).toBe(0);
    expect(elsewhere.stderr).toContain(
      `warning: that run went to ${staging.url}, and this goes to ${other.url}.\n`,
    );
    expect(other.counts().requests).toBe(1);
  });

  it("takes the token of another place nowhere but to the address that is beside it", async () => {
    const { retry, staging, other } = await runOfStaging();
    const { status, stderr } = await retry(`--base-url ${staging.url}`);
    expect(status).toBe(2);
    expect(stderr).toContain(
      `The token from eventload.yaml: token_file is for ${other.url}, the base URL beside it, and is not sent to ${staging.url}: give`,
    );
    expect((await retry(`--base-url ${other.url}`)).status).toBe(0);
    expect(staging.counts().requests).toBe(1);
  });
});

async function stopped() {
  const place = await runOfStaging();
  const { write, path, run, staging } = place;
  await write("more.csv", `Email,First Name,Code\n${"a@x,A,1\n".repeat(5)},B,2\na@x,A,1\n`);
  const ended = staging.counts().requests;
  const argv = ["import", path("more.csv"), "--mapping", path("people.yaml"), "--no-check"];
  const to = ["--target", "staging", "--max-errors", "0"];
  const { status } = await run([...argv, ...to], { env: { EVENTLOAD_TOKEN: "" } });
  expect(status).toBe(3);
  const before = staging.counts().requests;
  return {
    ...place,
    requests: () => staging.counts().requests - before,
    /** Of the six rows that can be sent, those that have not been. */
    left: 6 - (before - ended),
    resume: (more = "") =>
      run(`resume ${path("more.results.csv")} --max-errors 9 ${more}`, {
        env: { EVENTLOAD_TOKEN: "of-another-service", EVENTLOAD_BASE_URL: place.other.url },
      }),
  };
}

it("a resume of a run that went to a target takes its token there, and sends nothing while the target is gone or has moved", async () => {
  const { resume, requests, left, configure, target, other, staging } = await stopped();
  await configure("");
  const gone = await resume();
  expect(gone).toMatchObject({ status: 2 });
  expect(gone.stderr).toContain("does not have at that address now: give its token");
  await configure(target("staging", other.url));
  const moved = await resume();
  expect(moved).toMatchObject({ status: 2 });
  expect(moved.stderr).toContain("does not have at that address now: give its token");
  const named = await resume("--target staging");
  expect(named).toMatchObject({ status: 2 });
  expect(named.stderr).toContain(`the base URL was ${staging.url} and is ${other.url}.`);
  expect(requests()).toBe(0);
  await configure(target("staging", staging.url));
  expect((await resume()).status).toBe(1);
  expect(requests()).toBe(left);
  expect(other.counts().requests).toBe(0);
});
