import { describe, expect, it } from "vitest";
import { situation } from "../situation.ts";

describe("a list in eventload.yaml", () => {
  it.each([
    ["token_command: {a: b}", "token_command: takes a text, or a list of texts"],
    ["token_command: [vault, [read]]", "token_command: takes a text, or a list of texts"],
    ["statuses: { success: [{a: 1}] }", "statuses.success: takes a text"],
    ["token_command: []", "token_command: takes a text, or a list"],
    ["statuses: { success: [200, ok] }", 'statuses.success: "ok" is no status from 200 to 599'],
    ["statuses: { retry: 600 }", 'statuses.retry: "600" is no status from 200 to 599'],
  ])("that cannot be is refused where it stands: %s", async (yaml, sentence) => {
    const { import: send, write } = await situation();
    await write("eventload.yaml", `${yaml}\n`);
    const { status, stderr } = await send();
    expect(stderr).toMatch(/^eventload: eventload\.yaml:\d+:\d+: /);
    expect(stderr).toContain(sentence);
    expect(status).toBe(2);
  });
});

describe("a status in two lists", () => {
  it("is named with the key to fix", async () => {
    const { import: send, write } = await situation();
    await write("eventload.yaml", "statuses: { success: [200, 409], reject: 4xx }\n");
    const { status, stderr } = await send();
    expect(stderr).toBe(
      "eventload: statuses.reject: 409 is among the reject statuses and among the success statuses; leave it in one.\n",
    );
    expect(status).toBe(2);
  });
});
