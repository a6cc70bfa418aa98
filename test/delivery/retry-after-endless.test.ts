import { expect, test } from "vitest";
import { deliveryTo } from "./delivery-under-test.ts";
import { accepted, startService } from "./service-under-test.ts";

test.each([
  ["99999999999", " (for 27777777 h 46 min). Resume after that."],
  ["9999999999999", "left alone for longer than dates go"],
  ["9".repeat(400), "left alone for longer than dates go"],
])("a service that wants to be left alone for %s s is left alone", async (seconds, words) => {
  const service = await startService(({ n }) =>
    n === 0 ? accepted : { status: 429, headers: { "retry-after": seconds } },
  );
  const { send, stop } = await deliveryTo(service.url, { maxAttempts: 5 });
  await send(1);
  expect(await send(2)).toMatchObject({ ending: "not_sent", attempts: 1 });
  expect(stop.reason).toMatchObject({ code: "throttled", message: expect.stringContaining(words) });
  expect(service.receipts).toHaveLength(2);
});
