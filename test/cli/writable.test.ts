import { existsSync } from "node:fs";
import { chmod, chown, stat } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { situation } from "./situation.ts";

/** Three people, and each of the files that says where the token goes, or is run. */
async function withFiles() {
  const place = await situation();
  const { path, write } = place;
  const service = await sandboxUnderTest();
  const ran = path("ran");
  await write("eventload.yaml", `token_command: echo the-token\nbase_url: ${service.url}\n`);
  await write(
    "people.mjs",
    `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(ran)}, "");
    export default () => ({ resource: "users", body: { event: "x" } });\n`,
  );
  const mappings = { "eventload.yaml": "people.yaml", "people.mjs": "people.mjs" };
  return {
    ...{ ...place, service },
    hasRun: () => existsSync(ran),
    send: (file: keyof typeof mappings) =>
      place.run(`import ${path("people.csv")} --mapping ${path(mappings[file])}`, {
        env: { EVENTLOAD_TOKEN: "" },
      }),
  };
}

const files = ["eventload.yaml", "people.mjs"] as const;

describe.skipIf(process.platform === "win32")("a file that others can write", () => {
  it.each(files)(
    "is neither believed nor run until it is as the refusal says: %s",
    async (file) => {
      const { path, send, service, hasRun } = await withFiles();
      await chmod(path(file), (await stat(path(file))).mode | 0o022);
      const { status, stderr } = await send(file);
      expect(status).toBe(2);
      expect(stderr).toContain(` ${path(file)} can be written by everybody`);
      expect(hasRun()).toBe(false);
      expect(service.counts().requests).toBe(0);

      const [, mode, name = ""] = /run chmod (o-w) (\S+)\n$/.exec(stderr) ?? [];
      expect(mode).toBe("o-w");
      await chmod(name, (await stat(name)).mode & ~0o002);
      expect((await send(file)).status).toBe(0);
      expect(service.counts().accepted.users).toBe(3);
    },
  );

  it.skipIf(process.getuid?.() !== 0)("is one of another owner", async () => {
    const { path, send, hasRun } = await withFiles();
    for (const file of files) {
      await chown(path(file), 54_321, 54_321);
      const { status, stderr } = await send(file);
      expect(status).toBe(2);
      expect(stderr).toContain(`${path(file)} belongs to another user (54321)`);
      await chown(path(file), 0, 0);
    }
    expect(hasRun()).toBe(false);
  });
});
