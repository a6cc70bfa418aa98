import { expect, test } from "vitest";
import { accepted, type Receipt, startService } from "../delivery/service-under-test.ts";
import { openWorkspace, type Workspace } from "./import-under-test.ts";

const mapping = `version: 1
resource: users
events:
  - event: user.created
    members: { email: Email }
  - event: user.aged
    when: { column: Age, not_in: ["0"] }
    members: { email: Email, age: { column: Age, type: integer, required: true } }
`;

const eventOf = ({ body }: Receipt) => (JSON.parse(body) as { event: string }).event;

/** Imports one row of which the second event is refused. */
async function importedOnce(act: (people: Workspace, sentBy: SentBy) => Promise<void>) {
  const service = await startService((receipt) =>
    eventOf(receipt) === "user.aged" && receipt.n < 2 ? { status: 422 } : accepted,
  );
  const people = await openWorkspace(
    [
      ["Email", "Age"],
      ["ann@example.com", "41"],
    ],
    mapping,
  );
  const sentBy: SentBy = async (send) => {
    const before = service.receipts.length;
    await send(service.url);
    return service.receipts.slice(before).map(eventOf);
  };
  try {
    expect(await sentBy((url) => people.import(url))).toEqual(["user.created", "user.aged"]);
    await act(people, sentBy);
  } finally {
    await people.remove();
  }
}

type SentBy = (send: (url: string) => Promise<unknown>) => Promise<string[]>;

/** Changes the last line of a file, which is that of the second event. */
async function edit(people: Workspace, name: string, from: string | RegExp, to: string) {
  const text = await people.text(name);
  const at = text.lastIndexOf("ann@example.com");
  const line = text.slice(at);
  expect(line.replace(from, to)).not.toBe(line);
  await people.write(name, text.slice(0, at) + line.replace(from, to));
}

test.each([
  ["became invalid", ",41,", ",,", ",,", ",42,", ["user.aged"]],
  ["was left out", ",41,", ",0,", ",0,", ",42,", []],
  ["had no readable status", ",rejected,", ",done,", ",invalid,", ",,", ["user.aged"]],
] as const)(
  "an event that succeeded is not sent again because another of its row %s",
  async (_, from, to, again, fixed, expected) => {
    await importedOnce(async (people, sentBy) => {
      await edit(people, "people.results.csv", from, to);
      expect(await sentBy((url) => people.retry(url, "people.results.csv"))).toEqual([]);
      const first = "people.retry-1.results.csv";
      expect((await people.lines(first)).map((line) => line.import_event)).toEqual(["1", "2"]);

      await edit(people, first, again, fixed);
      const sent = await sentBy((url) => people.retry(url, first));
      expect(sent).toEqual(expected);
      const lines = await people.lines("people.retry-2.results.csv");
      expect(lines.map((line) => line.import_event)).toEqual(["1", "2"]);
    });
  },
);

test("a problem of another event of the row does not hold back this one", async () => {
  await importedOnce(async (people, sentBy) => {
    await people.write(
      "people.yaml",
      mapping.replace(
        "members: { email: Email }",
        "members: { n: { column: Email, type: number } }",
      ),
    );
    expect(await sentBy((url) => people.retry(url, "people.failed.csv"))).toEqual(["user.aged"]);
  });
});
