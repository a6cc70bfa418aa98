import { expect, test } from "vitest";
import { accepted, startService } from "../delivery/service-under-test.ts";
import { openWorkspace } from "./import-under-test.ts";

const mapping = `version: 1
resource: users
event: user.updated
members:
  email: Email
  "about.note": Note
  reference: { meta: event_id }
  place.row: { meta: row }
  place.line: { meta: line }
  place.file: { meta: input_name }
  at: { meta: imported_at }
`;

test("an event that nobody changed leaves a retry as it left the import, but for when that was", async () => {
  const refused = await startService(() => ({ status: 422 }));
  const taken = await startService(() => accepted);
  const people = await openWorkspace(
    [
      ["Email", "Note"],
      ["ann@example.com", 'one\r\n"two"'],
      ["bo@example.com", ""],
      ["", "\u00e9\u{1f600}=1+1"],
    ],
    mapping,
  );
  await people.import(refused.url);
  await people.retry(refused.url, "people.failed.csv");
  await people.retry(taken.url, "people.results.csv");

  const without = ({ body }: { readonly body: string }) => {
    const { at } = JSON.parse(body) as { at: string };
    return body.replace(`"at":"${at}"`, '"at":""');
  };
  const [first, second, third] = [
    refused.receipts.slice(0, 3).map(without).sort(),
    refused.receipts.slice(3).map(without).sort(),
    taken.receipts.map(without).sort(),
  ];
  expect(first).toHaveLength(3);
  expect(first?.[0]).toContain('"file":"people.csv"');
  expect(second).toEqual(first);
  expect(third).toEqual(first);
});
