import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { columnOfMember } from "../../src/run/send/column-of-member.ts";
import { temporaryFolder } from "../temporary-folder.ts";

describe("the column of a member", () => {
  it("is known from the mapping that was used, but not from a path on another machine", async () => {
    const path = join(await temporaryFolder(), "people.yaml");
    const text = "version: 1\nresource: users\nevent: a\nmembers: { email: Mail }\n";
    await writeFile(path, text);
    const of = { sha256: createHash("sha256").update(text).digest("hex"), bytes: 0, lookups: [] };
    expect((await columnOfMember({ path, ...of }, ["Mail"])).get("email")).toBe("Mail");
    // Linux finds the same file there; Windows would look for a machine.
    expect((await columnOfMember({ path: `/${path}`, ...of }, ["Mail"])).get("email")).toBe(
      undefined,
    );
  });
});
