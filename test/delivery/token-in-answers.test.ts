import { describe, expect, test } from "vitest";
import { tokenMask } from "../../src/delivery/token.ts";
import { deliveryTo, secret } from "./delivery-under-test.ts";
import { answer, startRawServer } from "./raw-server.ts";
import { accepted, type Reply, startService } from "./service-under-test.ts";

const codeUnits = (text: string) =>
  [...text].map((at) => `\\u${at.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
const percents = (text: string) =>
  [...text].map((at) => `%${at.charCodeAt(0).toString(16)}`).join("");
const entities = (text: string) => [...text].map((at) => `&#${at.charCodeAt(0)};`).join("");

const most = 64 * 1024;

/** A body that is cut where so many characters of what it ends with have been read. */
const cutAfter = (count: number, end: string) => `no${" ".repeat(most - 2 - count)}${end}`;

/** All that is kept or told of an event that was answered so. */
async function toldOf(reply: Reply): Promise<string> {
  const service = await startService(({ n }) => (n === 0 ? accepted : reply));
  const { send, stop, notices, records } = await deliveryTo(service.url, { maxAttempts: 2 });
  await send(1);
  const outcome = await send(2);
  return JSON.stringify([outcome, stop.reason, notices, records]);
}

/** What a person could read the token from. */
function expectNothingOf(told: string): void {
  for (const form of [(text: string) => text, codeUnits, percents, entities]) {
    expect(told).not.toContain(form(secret.slice(0, 3)));
    expect(told).not.toContain(form(secret.slice(-3)));
    expect(told).not.toContain(JSON.stringify(form(secret.slice(0, 3))).slice(1, -1));
  }
}

describe("of a token that the service repeats, nothing is left", () => {
  test.each<[string, string]>([
    ["as it is", `bad token ${secret}`],
    ["in JSON as code units", `{"message":"bad token ${codeUnits(secret)}"}`],
    ["in JSON in JSON", `{"message":${JSON.stringify(`{"token":"${codeUnits(secret)}"}`)}}`],
    ["in JSON that is none", `{"message":"bad token ${codeUnits(secret)}`],
    ["in a URL, every character escaped", `see /?token=${percents(secret)}`],
    ["in HTML, every character escaped", `<b>${entities(secret)}</b>`],
    ["where a long text is cut", `${"x".repeat(490)}${secret}`],
    ["where a long decoded text is cut", `{"error":"${"x".repeat(490)}${codeUnits(secret)}"}`],
  ])("%s", async (_, body) => {
    for (const status of [422, 500, 401]) {
      const told = await toldOf({ status, body });
      expectNothingOf(told);
      expect(told).toContain(`http_${status}`);
    }
  });

  test.each([3, 4, 10, secret.length - 1])(
    "where the body is cut after %i of it",
    async (count) => {
      const told = await toldOf({ status: 422, body: cutAfter(count, `${secret} is bad`) });
      expectNothingOf(told);
      expect(told).toContain(`no ${tokenMask}`);
    },
  );

  test("where the body is cut within an escaped character", async () => {
    for (const escaped of [codeUnits(secret), percents(secret), entities(secret)]) {
      for (let count = 30; count < 42; count++) {
        const told = await toldOf({ status: 422, body: cutAfter(count, escaped) });
        expectNothingOf(told);
        expect(told).toContain(`no ${tokenMask}`);
      }
    }
  });

  test("where the connection ends within it", async () => {
    const server = await startRawServer({
      onRequest(socket) {
        const whole = answer("422 Unprocessable", `bad token ${secret}`);
        socket.end(whole.slice(0, -5));
      },
    });
    const { send } = await deliveryTo(server.origin);
    const outcome = await send(1);
    expectNothingOf(JSON.stringify(outcome));
    expect(outcome).toMatchObject({ ending: "rejected", error: `bad token ${tokenMask}` });
  });

  test("where a redirect leads", async () => {
    const service = await startService(() => ({
      status: 307,
      headers: { location: `https://example.com/?token=${percents(secret)}` },
    }));
    const { send, stop } = await deliveryTo(service.url);
    await send(1);
    expect(stop.reason?.message).toContain(`https://example.com/?token=${tokenMask}`);
  });
});

test("the end of a body that is whole stays, whatever it is", async () => {
  const told = await toldOf({ status: 422, body: `the word is ${secret.slice(0, 5)}` });
  expect(told).toContain(`the word is ${secret.slice(0, 5)}`);
});
