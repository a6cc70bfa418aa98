import { describe, expect, it } from "vitest";
import { situation } from "../situation.ts";

describe("a list in eventload.yaml", () => {
  it.each([
    ["token_command: {a: b}", "token_command: takes a text, or a list of texts"],
    ["token_command: [vault, [read]]", "token_command: takes a text, or a list of texts"],
    ["success_statuses: [{a: 1}]", "success_statuses: takes a text"],
    ["token_command: []", "token_command: takes a text, or a list"],
    ["success_statuses: [200, ok]", 'success_statuses: "ok" is no status from 200 to 599'],
    ["retry_statuses: 600", 'retry_statuses: "600" is no status from 200 to 599'],
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
  it("is named with both lists", async () => {
    const { import: send, write } = await situation();
    await write("eventload.yaml", "success_statuses: [200, 409]\nreject_statuses: 4xx\n");
    const { status, stderr } = await send();
    expect(stderr).toBe(
      "eventload: rejectStatuses: 409 is among the reject statuses and among the success statuses; leave it in one.\n",
    );
    expect(status).toBe(2);
  });
});
