import { describe, expect, it } from "vitest";
import { situation } from "../situation.ts";

describe("a list in eventload.yaml", () => {
  it.each([
    ["limit: [3]", "limit: takes one value, not a list or an object"],
    ["ca_file: [a.pem]", "ca_file: takes one value, not a list or an object"],
    ["token_command: {a: b}", "token_command: takes a text, or a list of texts"],
    ["token_command: [vault, [read]]", "token_command: takes a text, or a list of texts"],
    ["token_command: [vault, ]\nsuccess_statuses: [{a: 1}]", "success_statuses: takes a text"],
    ["token_command: []", "token_command: is blank"],
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
  it("is named with the place to fix", async () => {
    const { import: send, write } = await situation();
    await write("eventload.yaml", "success_statuses: [200, 409]\n");
    const { status, stderr } = await send(["--reject-statuses", "4xx"]);
    expect(stderr).toBe(
      "eventload: --reject-statuses: 409 is among the reject statuses and among the success statuses; leave it in one.\n",
    );
    expect(status).toBe(2);
  });
});
