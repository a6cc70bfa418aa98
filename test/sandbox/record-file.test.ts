import { existsSync } from "node:fs";
import { chmod, lchown, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import {
  CONTACTS,
  post,
  readRecord,
  sandboxUnderTest,
  temporaryPath,
  USERS,
} from "./sandbox-under-test.ts";

test("what was accepted is recorded in its order, after what is there, and no token", async () => {
  const recordFile = await temporaryPath("record.jsonl");
  await writeFile(recordFile, "before\n");
  const sandbox = await sandboxUnderTest({ recordFile });
  const headers = {
    authorization: "Bearer t0ken-of-mine",
    "proxy-authorization": "Basic t0ken-of-mine",
    cookie: "session=t0ken-of-mine",
    "Idempotency-Key": 'id-"1"',
    "X-Request-Id": "42",
    "user-agent": "test",
    "accept-language": "nl",
  };
  await post(sandbox, { path: USERS, body: '{"event":"a","age":7}', headers });
  await post(sandbox, { path: USERS, body: '{"event":""}' });
  await post(sandbox, { path: "/nowhere" });
  await post(sandbox, { path: CONTACTS, body: '{"event":"b","tags":["x"]}' });
  await sandbox.stop();

  const kept = `{"idempotency-key":"id-\\"1\\"","x-request-id":"42"}`;
  expect(await readFile(recordFile, "utf8")).toBe(`before
{"n":1,"method":"POST","resource":"users","body":{"event":"a","age":7},"headers":${kept}}
{"n":2,"method":"POST","resource":"contacts","body":{"event":"b","tags":["x"]},"headers":{}}
`);
});

test("a body keeps its digits and order, and stays on one line", async () => {
  const recordFile = await temporaryPath("record.jsonl");
  const sandbox = await sandboxUnderTest({ recordFile });
  await post(sandbox, {
    body: '{\r\n  "10": 1.10,\n  "2": 12345678901234567890,\n  "event": "a\\nb \u2028 é"\n}\n',
  });
  await sandbox.stop();

  const text = await readFile(recordFile, "utf8");
  expect(text.match(/[\r\n]/g)).toEqual(["\n"]);
  expect(text).toContain('"10": 1.10,   "2": 12345678901234567890,   "event"');
  expect((await readRecord(recordFile))[0]?.body.event).toBe("a\nb \u2028 é");
});

test.skipIf(!existsSync("/dev/full"))("what cannot be recorded is not accepted", async () => {
  const sandbox = await sandboxUnderTest({ recordFile: "/dev/full" });
  const { status, text } = await post(sandbox);
  expect([status, text]).toEqual([500, expect.stringContaining("the disk is full")]);
  expect(sandbox.counts()).toMatchObject({ accepted: { users: 0 }, failed: { 500: 1 } });
});

test("a record file that cannot be opened fails the start", async () => {
  const recordFile = `${await temporaryPath("missing")}/record.jsonl`;
  await expect(startSandbox({ recordFile })).rejects.toThrow("ENOENT");
});

test.skipIf(userInfo().uid !== 0)("nothing is recorded where somebody else decides", async () => {
  const folder = await temporaryFolder();
  await chmod(folder, 0o1777);
  const paths = ["theirs", "dangling", "link"].map((name) => join(folder, name));
  const [theirs = "", dangling = "", link = ""] = paths;
  await writeFile(theirs, "");
  await symlink(join(folder, "nowhere"), dangling);
  await symlink(theirs, link);
  for (const path of [theirs, dangling]) await lchown(path, 1234, 1234);
  for (const recordFile of paths) {
    await expect(startSandbox({ recordFile }), recordFile).rejects.toThrow(
      `The record ${recordFile}`,
    );
  }
  expect(await readFile(theirs, "utf8")).toBe("");
  expect((await readdir(folder)).toSorted()).toEqual(["dangling", "link", "theirs"]);
  // A link of one's own leads to a file of one's own.
  const [own, mine] = [join(folder, "own"), join(folder, "mine")];
  await writeFile(mine, "");
  await symlink(mine, own);
  await post(await sandboxUnderTest({ recordFile: own }));
  expect(await readRecord(mine)).toHaveLength(1);
});
