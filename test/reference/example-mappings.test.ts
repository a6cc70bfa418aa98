import { cpSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readRecord, sandboxUnderTest, temporaryPath } from "../sandbox/sandbox-under-test.ts";
import { scenario } from "../scenarios/scenario.ts";

const folder = fileURLToPath(new URL("../../examples/mappings", import.meta.url));
const mappings = readdirSync(folder).filter((name) => name.endsWith(".yaml"));

/** The kinds of event that the rows beside a mapping give, in their order. */
const events: Readonly<Record<string, readonly string[]>> = {
  "changes.yaml": ["user.created", "user.created", "user.updated", "user.deleted"],
  "contacts.yaml": ["contact.imported", "contact.imported"],
  "mirror.yaml": ["contact.imported", "contact.imported"],
  "orders.yaml": ["user.updated", "order.placed", "user.updated", "order.placed", "voucher.used"],
};

async function reader() {
  const record = await temporaryPath("received.jsonl");
  const service = await sandboxUnderTest({ recordFile: record });
  const place = await scenario("plain");
  cpSync(folder, place.folder, { recursive: true });
  const to = ["--base-url", service.url, "--concurrency", "1"];
  return {
    ...place,
    importRows: (input: string, ...more: string[]) =>
      place.eventload(["import", input, ...to, ...more]),
    bodies: async () => (await readRecord(record)).map(({ body }) => body),
  };
}

describe("examples/mappings", () => {
  it("are all known here", () => {
    expect(mappings.toSorted()).toEqual(Object.keys(events));
  });

  it.each(mappings)("%s maps every row of the file beside it", async (mapping) => {
    const { eventload, importRows, bodies } = await reader();
    const input = mapping.replace(".yaml", ".csv");
    const { status, stderr } = await eventload(`check ${input}`);
    expect(status).toBe(0);
    expect(stderr).toContain("no row is invalid");
    expect(stderr).not.toContain("warning: ");
    expect(await importRows(input, "--results", "all.results.csv")).toMatchObject({ status: 0 });
    expect((await bodies()).map(({ event }) => event)).toEqual(events[mapping]);
  });

  it("contacts.yaml does to the cells what its comments say", async () => {
    const { importRows, bodies } = await reader();
    await importRows("contacts.csv", "--results", "all.results.csv");
    expect((await bodies())[0]).toEqual({
      event: "contact.imported",
      email: "ada@example.com",
      name: { first: "Ada", last: "Lovelace" },
      born: "1985-12-10",
      signed_up_at: "2024-01-31T12:45:00.000Z",
      plan: "pro",
      interests: ["sailing", "chess"],
      newsletter: true,
      source: "spreadsheet",
    });
  });
});
