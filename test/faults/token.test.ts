import { writeFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { answer, type RawRequest, type RawServer, startRawServer } from "../delivery/raw-server.ts";
import { hurry } from "../hurry.ts";
import { type Imported, type RowsToImport, receiptsOfRows, rowsToImport } from "./import-rows.ts";

const count = 60;
const concurrency = 4;
const atMost = ["--concurrency", String(concurrency), "--timeout", "10m"];
// A token that stays the same is read again after 1, 2 and 5 seconds.
const waitsAreShort = 20;
const noToken = { EVENTLOAD_TOKEN: "" };

beforeEach(() => hurry(waitsAreShort));

interface TokenService {
  readonly server: RawServer;
  /** The requests that were let in. */
  readonly accepted: readonly RawRequest[];
  /** How many were answered 401. */
  refused(): number;
}

/** A service that takes one token only, and after so many requests another one. */
async function startTokenService(
  tokens: readonly [string, string],
  changesAfter: number,
  onChange: () => void = () => {},
): Promise<TokenService> {
  const accepted: RawRequest[] = [];
  let refused = 0;
  let valid = tokens[0];
  const server = await startRawServer({
    onRequest(socket, request) {
      if (accepted.length === changesAfter && valid !== tokens[1]) {
        valid = tokens[1];
        onChange();
      }
      if (request.head.includes(`\r\nauthorization: Bearer ${valid}\r\n`)) {
        accepted.push(request);
        socket.write(answer("202 Accepted"));
      } else {
        refused++;
        socket.write(answer("401 Unauthorized", '{"message":"the token has expired"}'));
      }
    },
  });
  return { server, accepted, refused: () => refused };
}

function expectAllDelivered(imported: Imported, { server, accepted, refused }: TokenService): void {
  expect(imported.summary).toMatchObject({ succeeded: count, unanswered: 0 });
  expect(imported.status).toBe(0);
  expect(receiptsOfRows(accepted, count)).toEqual(Array.from({ length: count }, () => 1));
  // Those that were in flight met it, and perhaps one each that left before the new one was there.
  expect(refused()).toBeGreaterThan(0);
  expect(refused()).toBeLessThanOrEqual(2 * concurrency);
  expect(imported.summary.attempts).toBe(server.requests.length);
}

test.each<[string, (path: string) => string[]]>([
  ["in the file", (path) => ["--token-file", path]],
  ["from the command", (path) => ["--token-command", `cat "${path}"`]],
])("401 half way, with a new token %s: everything arrives, and once", async (_, from) => {
  const rows = await rowsToImport(count, noToken);
  const source = rows.path("token");
  writeFileSync(source, "token-a\n", { mode: 0o600 });
  const service = await startTokenService(["token-a", "token-b"], 25, () =>
    writeFileSync(source, "token-b\n"),
  );
  const imported = await rows.import(service.server.origin, ...[...atMost, ...from(source)]);
  expectAllDelivered(imported, service);
  expect(imported.stderr).not.toMatch(/token-[ab]/);
});

/** A token that stays as it is, from each place that there is: the environment, and arguments. */
const sources: Record<string, { value: string; args: (rows: RowsToImport) => string[] }> = {
  EVENTLOAD_TOKEN: { value: "token-a", args: () => [] },
  "a file": {
    value: "",
    args(rows) {
      writeFileSync(rows.path("token"), "token-a\n", { mode: 0o600 });
      return ["--token-file", rows.path("token")];
    },
  },
  "a command": { value: "", args: () => ["--token-command", "echo token-a"] },
};

test.each(Object.entries(sources))(
  "401 for good, from the first event, with a token from %s: the run stops there",
  async (_, { value, args }) => {
    const service = await startTokenService(["token-b", "token-b"], 0);
    const rows = await rowsToImport(count, { EVENTLOAD_TOKEN: value });
    const { status, summary, stderr } = await rows.import(
      service.server.origin,
      ...[...atMost, ...args(rows)],
    );
    expect(status).toBe(3);
    expect(summary).toMatchObject({
      ...{ exit_reason: "unauthorized", succeeded: 0, not_sent: count, unanswered: 0 },
      results: null,
    });
    // Of itself, and where there is somewhere to ask again, once more.
    expect(service.server.requests.length).toBeLessThanOrEqual(value === "" ? 2 : 1);
    expect(stderr).toContain("the token has expired");
    expect(summary?.message).toContain("get a new one.");
    expect(stderr).not.toContain("token-a");
  },
);

test.each(Object.entries(sources))(
  "401 for good, half way, with a token from %s: the run stops, and continues a new one",
  async (_, { value, args }) => {
    const service = await startTokenService(["token-a", "token-b"], 25);
    const rows = await rowsToImport(count, { EVENTLOAD_TOKEN: value });
    writeFileSync(rows.path("old-token"), "token-a\n", { mode: 0o600 });
    const stopped = await rows.import(service.server.origin, ...atMost, ...args(rows));
    expect(stopped.status).toBe(3);
    expect(stopped.summary).toMatchObject({
      ...{ exit_reason: "unauthorized", succeeded: 25, not_sent: count - 25, unanswered: 0 },
      ...{ failed: 0, unknown: 0, rejected: 0 },
    });
    expect(service.refused()).toBeLessThanOrEqual(2 * concurrency);
    const goOn = "get a new one.";
    expect(stopped.stderr.replaceAll(/\s+/g, " ")).toContain(goOn);
    expect(stopped.summary).toMatchObject({ message: expect.stringContaining(goOn) });
    const still = await rows.resume("--token-file", rows.path("old-token"));
    expect(still.summary).toMatchObject({ message: expect.stringContaining(goOn) });

    writeFileSync(rows.path("new-token"), "token-b\n", { mode: 0o600 });
    const resumed = await rows.resume("--token-file", rows.path("new-token"));
    expect(resumed.status).toBe(0);
    expect(resumed.summary).toMatchObject({ succeeded: count, exit_reason: "complete" });
    expect(receiptsOfRows(service.accepted, count)).toEqual(Array.from({ length: count }, () => 1));
  },
);

test.each([
  ["from the first event", 0],
  ["half way", 25],
])("401 for good, %s, though there is always another token to be had", async (_, after) => {
  const service = await startTokenService(["token-a", "token-b"], after);
  const rows = await rowsToImport(count, noToken);
  // The first one is right, and then each differs from those before.
  const command = `test -e asked && echo token-$$ || { touch asked; echo token-a; }`;
  const { status, summary } = await rows.import(
    service.server.origin,
    ...[...atMost, "--token-command", `cd "${rows.folder}" && ${command}`],
  );
  expect(status).toBe(3);
  expect(summary).toMatchObject({
    ...{ exit_reason: "unauthorized", succeeded: after, not_sent: count - after, failed: 0 },
  });
  // Those in flight; those sent with the second token; and with the third, until an event is refused again.
  expect(service.refused()).toBeLessThanOrEqual(3 * concurrency);
});
