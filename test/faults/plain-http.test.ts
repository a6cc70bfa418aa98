import { writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { eventload } from "../cli/fake-host.ts";
import { startProxyServer } from "../delivery/proxy-server.ts";
import { answer, startRawServer } from "../delivery/raw-server.ts";
import { rowOf, rowsToImport } from "./import-rows.ts";
import { authority, identity } from "./make-certificate.ts";

/** A service that refuses its first request, so that there is something to retry. */
async function refusingOnce(certificate?: typeof identity) {
  const service = await startRawServer(
    {
      onRequest: (socket) =>
        socket.write(answer(service.requests.length === 1 ? "422 No" : "202 Accepted")),
    },
    certificate === undefined ? {} : { certificate },
  );
  return service;
}

/** Names that only a proxy knows: it brings what is for them to one service on this machine. */
const [ours, theirs] = ["http://service.invalid", "http://other.invalid"];

async function behindProxy() {
  const service = await refusingOnce();
  const proxy = await startProxyServer({ servicePort: Number(new URL(service.origin).port) });
  const http_proxy = `http://${proxy.host}`;
  return { service, env: { http_proxy, EVENTLOAD_TOKEN: "a-token" } };
}

describe("plain http to another machine", () => {
  const [atTop, token] = [`base_url: ${ours}\nallow_http: true\n`, "token_file: token\n"];
  const inTarget = `targets: { t: { base_url: "${ours}", allow_http: true } }\n`;
  const withToken = inTarget.replace(" }", ", token_file: token }");
  const variable = { EVENTLOAD_TOKEN: "the-variable" };
  const to = ["--base-url", ours];

  type Given = readonly [file: string, env: Record<string, string>, ...typed: string[]];

  /** Imports two rows with what is given in the file, the environment and the command line. */
  const importOf = async ([yaml, env, ...typed]: Given) => {
    const { service, env: proxy } = await behindProxy();
    const rows = await rowsToImport(2);
    for (const name of ["token", "other"]) await writeFile(rows.path(name), name, { mode: 0o600 });
    const file = yaml.replace("token_file: token", `token_file: ${rows.path("token")}`);
    const named = { EVENTLOAD_TOKEN: "", EVENTLOAD_CONFIG: rows.path("eventload.yaml") };
    await writeFile(named.EVENTLOAD_CONFIG, file);
    const run = (command: string, file: string, given: typeof env, ...more: string[]) =>
      eventload([command, rows.path(file), ...more], {
        ...{ cwd: rows.folder, env: { ...proxy, ...named, ...given } },
      });
    const here = typed.map((word) =>
      word.replace(/^(?=other$|eventload.yaml$)/, `${rows.folder}/`),
    );
    const command = here[0] === "check" ? "check" : "import";
    const args = here.filter((word) => word !== "check");
    const mapping = ["--mapping", rows.path("rows.yaml")];
    return { run, service, ...(await run(command, "rows.csv", env, ...mapping, ...args)) };
  };

  const refused: Record<string, Given> = {
    "the token of the shell": [atTop, variable],
    "the token of the shell, at an address of the shell": [
      atTop,
      { ...variable, EVENTLOAD_BASE_URL: ours },
    ],
    "the token of the shell, at an address that is typed": ["allow_http: true\n", variable, ...to],
    "the token of the shell, though the file names one": [atTop + token, variable],
    "the token of the shell, for a target": [inTarget, variable, "--target", "t"],
    "the token of the shell, for a target of the shell": [
      inTarget,
      { ...variable, EVENTLOAD_TARGET: "t" },
    ],
    "the token of the shell, in a file that is typed": [
      atTop,
      variable,
      ...["--config", "eventload.yaml"],
    ],
    "a token file that is typed": [atTop + token, {}, "--token-file", "other"],
    "a token command that is typed": [atTop + token, {}, "--token-command", "echo other"],
    "a token file that is typed, for a target": [
      withToken,
      {},
      ...["--target", "t", "--token-file", "other"],
    ],
    "an import that is tried without sending": [atTop, variable, "--dry-run"],
    "a check": [atTop, variable, "check"],
  };
  test.each(Object.entries(refused))("is not allowed by a file to %s", async (_, given) => {
    const { status, stderr, service } = await importOf(given);
    expect(status).toBe(2);
    expect(stderr).toContain(`${ours} is plain http`);
    expect(service.seen).toEqual([]);
    const [yaml, env, ...typed] = given;
    const allowed = await importOf([yaml, env, ...typed, "--allow-http"]);
    expect(allowed.status).toBe(allowed.service.seen.length === 0 ? 0 : 1);
  });

  const allowed: Record<string, Given> = {
    "that it names": [atTop + token, {}],
    "that it names, at an address that is typed": [`allow_http: true\n${token}`, {}, ...to],
    "of its target": [withToken, {}, "--target", "t"],
    "of its target, at its top": [
      `allow_http: true\n${withToken.replace(", allow_http: true", "")}`,
      {},
      ...["--target", "t"],
    ],
    "at its top, for a target": [inTarget + token, {}, "--target", "t"],
  };
  test.each(Object.entries(allowed))("is allowed by a file to the token %s", async (_, given) => {
    const { status, service, run } = await importOf(given);
    expect(status).toBe(1);
    expect(service.requests.map(rowOf)).toEqual([1, 2]);
    // The run does not keep that: it was said of this token.
    const typed = ["--token-command", "echo another"];
    expect((await run("retry", "rows.failed.csv", {}, ...typed)).status).toBe(2);
    expect(service.requests).toHaveLength(2);
    expect((await run("retry", "rows.failed.csv", {})).status).toBe(0);
  });

  test("is kept by the run for any token, if it was typed", async () => {
    const { run } = await importOf([`base_url: ${ours}\n${token}`, {}, "--allow-http"]);
    expect((await run("retry", "rows.failed.csv", variable)).status).toBe(0);
  });
});

describe("a retry that goes to another address than the run before", () => {
  test("does not have plain http allowed by that", async () => {
    const { service, env } = await behindProxy();
    const rows = await rowsToImport(2, env);
    expect((await rows.import(ours, "--allow-http")).status).toBe(1);
    const retry = (...args: string[]) =>
      eventload(["retry", rows.path("rows.failed.csv"), ...args], { env, cwd: rows.folder });
    const elsewhere = await retry("--base-url", theirs);
    expect(elsewhere).toMatchObject({ status: 2 });
    expect(elsewhere.stderr).toContain("http://other.invalid is plain http");
    expect(service.requests).toHaveLength(2);
    // The same address is no other one, however it is written.
    expect((await retry("--base-url", `${ours}:80/`)).status).toBe(0);
    expect(service.requests.map(rowOf)).toEqual([1, 2, 1]);
  });

  test("does not trust the certificates of that", async () => {
    const [service, other] = [await refusingOnce(identity), await refusingOnce(identity)];
    const rows = await rowsToImport(2, { EVENTLOAD_TOKEN: "a-token" });
    await writeFile(rows.path("ca.pem"), authority.cert);
    const retry = (...args: string[]) =>
      eventload(["retry", rows.path("rows.failed.csv"), ...args], { cwd: rows.folder });
    expect((await rows.import(service.origin, "--ca-file", rows.path("ca.pem"))).status).toBe(1);
    expect((await retry("--base-url", other.origin)).stderr).toContain("No secure connection to");
    expect(other.requests).toEqual([]);
    expect((await retry()).status).toBe(0);
    expect(service.requests).toHaveLength(3);
  });
});
