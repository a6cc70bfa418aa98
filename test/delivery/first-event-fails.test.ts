import { expect, test } from "vitest";
import { deliveryTo } from "./delivery-under-test.ts";
import { rowOf } from "./event-of.ts";
import { accepted, startService } from "./service-under-test.ts";

test("a first event that always fails is sent as often as it may be, as rows after it show that the service is up", async () => {
  const service = await startService((receipt) =>
    rowOf(receipt) === 1 ? { status: 500 } : accepted,
  );
  const { delivery, send, finish, notices } = await deliveryTo(service.url, { maxAttempts: 1 });
  const sending = [send(1)];
  for (let row = 2; row <= 5; row++) {
    await delivery.room();
    // The file is read while nothing is in flight.
    await new Promise((resolve) => setImmediate(resolve));
    sending.push(send(row));
  }
  await finish();
  const statuses = (await Promise.all(sending)).map(({ status }) => status);
  expect(statuses).toEqual(["failed", ...Array(4).fill("succeeded")]);
  expect(service.receipts.filter((receipt) => rowOf(receipt) === 1)).toHaveLength(1);
  expect(notices.filter(({ kind }) => kind === "pause")).toEqual([]);
});
