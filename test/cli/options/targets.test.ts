import { describe, expect, it } from "vitest";
import { situation } from "../situation.ts";

const twoTargets = `
base_url: https://file.example.com
token_file: file.token
rate: 9/s
targets:
  staging:
    base_url: https://staging.example.com
    token_file: staging.token
    success_statuses: [2xx, 409]
  production: { base_url: https://production.example.com, rate: 5/s }
`;

/** What `eventload config` says is in force, by key. */
async function inForce(yaml: string, argv: string[] = [], env: Record<string, string> = {}) {
  const { run, write } = await situation();
  await write("eventload.yaml", yaml);
  const answer = await run(["config", "--json", ...argv], { env: { EVENTLOAD_TOKEN: "", ...env } });
  expect(answer.stderr).toBe("");
  return JSON.parse(answer.stdout) as Record<string, string | null>;
}

describe("a target", () => {
  it("counts more than the rest of the file, and what it leaves out is taken from there", async () => {
    const staging = await inForce(twoTargets, ["--target", "staging"]);
    expect(staging.base_url).toBe("https://staging.example.com");
    expect(staging.success_statuses).toBe("2xx,409");
    expect(staging.rate).toBe("9/s");
    const none = await inForce(twoTargets);
    expect(none.base_url).toBe("https://file.example.com");
    expect(none.success_statuses).toBe("2xx");
  });

  const url = "https://env.example.com";
  it.each([
    ["typed", ["--target", "staging"], { EVENTLOAD_BASE_URL: url }, "", "https://staging"],
    ["in the environment", [], { EVENTLOAD_TARGET: "staging", EVENTLOAD_BASE_URL: url }, "", url],
    ["in the file", [], { EVENTLOAD_BASE_URL: url }, "target: staging", url],
    ["in the file alone", [], {}, "target: staging", "https://staging"],
    ["in the environment alone", [], { EVENTLOAD_TARGET: "staging" }, "", "https://staging"],
    [
      "typed, over that of the environment and of the file",
      ["--target", "staging"],
      { EVENTLOAD_TARGET: "production" },
      "target: production",
      "https://staging",
    ],
    [
      "typed, beside an address",
      ["--target", "staging", "--base-url", "https://typed.example.com"],
      {},
      "",
      "https://typed",
    ],
  ])("that is named %s counts as much as that place", async (_, argv, env, line, address) => {
    const found = await inForce(`${line}\n${twoTargets}`, argv, env as Record<string, string>);
    expect(found.base_url?.startsWith(address)).toBe(true);
  });

  it("that is typed brings its token, whatever stands in the environment", async () => {
    const env = { EVENTLOAD_TOKEN: "of-another-service" };
    const typed = await inForce(twoTargets, ["--target", "staging"], env);
    expect(typed).toMatchObject({ token: "******** (token_file)", token_file: "staging.token" });
    expect((await inForce(twoTargets, [], env)).token).toBe("******** (EVENTLOAD_TOKEN)");
    const tokenless = await inForce(twoTargets, ["--target", "production"], env);
    expect(tokenless.token).toBe("******** (EVENTLOAD_TOKEN)");
  });

  it.each([
    ["targets: { a: { rate: 5/s } }", "b", 'eventload.yaml has no target "b"; it has a.'],
    ["targets: { north: { rate: 5/s } }", "nort", 'no target "nort"; did you mean north.'],
    ["rate: 5/s", "north", 'eventload.yaml has no target "north"; it has none: write it there'],
    ["targets: { a: { base_ulr: x } }", "a", "did you mean base_url?"],
    ["targets: { a: { rate: } }", "a", "eventload.yaml:1:17: targets.a.rate: is blank"],
    ["targets: { a: { target: b } }", "a", "targets.a.target: unknown key"],
    ["x: &x { y: *x }", "a", "eventload.yaml:1:12: x.y: is an alias (*), which is not read"],
  ])("of %s", async (yaml, target, sentence) => {
    const { run, write } = await situation();
    await write("eventload.yaml", `${yaml}\n`);
    const { status, stderr } = await run(`config --target ${target}`);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain("sesame");
    expect(status).toBe(2);
  });
});
