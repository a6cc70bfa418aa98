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
