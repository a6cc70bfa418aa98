import { describe, expect, test } from "vitest";
import { CONTACTS, post, type Sent, sandboxUnderTest, USERS } from "./sandbox-under-test.ts";

const token = "s3cret-of-the-house";
const authorized = { authorization: `Bearer ${token}` };

test.each([
  ["POST", USERS, { users: 1, contacts: 0 }],
  ["POST", CONTACTS, { users: 0, contacts: 1 }],
  ["PUT", USERS, { users: 1, contacts: 0 }],
  ["DELETE", CONTACTS, { users: 0, contacts: 1 }],
] as const)("%s %s is accepted", async (method, path, accepted) => {
  const sandbox = await sandboxUnderTest();
  const answer = await post(sandbox, { method, path });

  expect(answer.status).toBe(202);
  expect(answer.headers["content-type"]).toBe("application/json");
  expect(answer.text).toBe('{"status":"accepted"}');
  expect(sandbox.counts()).toMatchObject({ requests: 1, accepted });
});

const refusals: [situation: string, sent: Sent, status: number, code: string][] = [
  ["an unknown path", { path: "/v1/groups/events" }, 404, "not_found"],
  ["a slash at the end", { path: `${USERS}/` }, 404, "not_found"],
  ["a query", { path: `${USERS}?dry=1` }, 404, "not_found"],
  ["an unknown path with another method", { path: "/x", method: "GET" }, 404, "not_found"],
  ["GET", { method: "GET" }, 405, "method_not_allowed"],
  ["no token", { headers: { authorization: undefined } }, 401, "unauthorized"],
  ["a blank token", { headers: { authorization: "Bearer  " } }, 401, "unauthorized"],
  ["another scheme", { headers: { authorization: `Basic ${token}` } }, 401, "unauthorized"],
  ["a wrong token", { headers: { authorization: "Bearer other" } }, 401, "unauthorized"],
  [
    "a wrong token and a wrong body",
    { headers: { authorization: "Bearer x", "content-type": "text/csv" }, body: "" },
    401,
    "unauthorized",
  ],
  [
    "no content type",
    { headers: { ...authorized, "content-type": undefined } },
    415,
    "unsupported_media_type",
  ],
  [
    "another content type",
    { headers: { ...authorized, "content-type": "application/json-seq" } },
    415,
    "unsupported_media_type",
  ],
];

test.each(refusals)("%s is refused", async (_situation, sent, status, code) => {
  const sandbox = await sandboxUnderTest({ token });
  const answer = await post(sandbox, sent);

  expect(answer.status).toBe(status);
  const { error } = JSON.parse(answer.text);
  expect(error.code).toBe(code);
  expect(error.message).toMatch(/^[A-Z].*\.$/);
  expect(sandbox.counts()).toMatchObject({
    requests: 1,
    accepted: { users: 0, contacts: 0 },
    refused: { [status]: 1 },
  });
});

test("405 names the methods that are allowed; 401 names the scheme and repeats no token", async () => {
  const sandbox = await sandboxUnderTest({ token });
  expect((await post(sandbox, { method: "GET" })).headers.allow).toBe("POST, PUT, DELETE");
  const answer = await post(sandbox, { headers: { authorization: "Bearer not-quite" } });
  expect(answer.headers["www-authenticate"]).toBe("Bearer");
  expect(answer.text).not.toMatch(new RegExp(`not-quite|${token}`));
});

test.each(["Bearer", "Bearer \t", "Bearer \u00a0", "bearer x", "x"])(
  "where any token will do, %j is still none",
  async (authorization) => {
    const sandbox = await sandboxUnderTest();
    expect((await post(sandbox, { headers: { authorization } })).status).toBe(401);
  },
);

test.each(["application/json; charset=utf-8", "Application/JSON", "application/json ;v=1"])(
  "the content type %s is accepted",
  async (contentType) => {
    const sandbox = await sandboxUnderTest();
    const answer = await post(sandbox, { headers: { "content-type": contentType } });
    expect(answer.status).toBe(202);
  },
);

describe("bodies", () => {
  const utf16 = new Uint8Array(Buffer.from('{"event":"a"}', "utf16le"));
  const bodies: [situation: string, body: string | Uint8Array][] = [
    ["nothing", ""],
    ["JSON that is cut off", '{"event":"a"'],
    ["a byte order mark", '\uFEFF{"event":"a"}'],
    ["Latin-1", Buffer.from('{"event":"é"}', "latin1")],
    ["UTF-16", utf16],
    ["a list", '[{"event":"a"}]'],
    ["null", "null"],
    ["no event", '{"Event":"a"}'],
    ["an event in __proto__", '{"__proto__":{"event":"a"}}'],
    ["a number as event", '{"event":7}'],
    ["a blank event", '{"event":" \\t"}'],
  ];

  test.each(bodies)("%s is refused", async (_situation, body) => {
    const sandbox = await sandboxUnderTest();
    const answer = await post(sandbox, { body });
    expect(answer.status).toBe(400);
    const message = 'The body is no JSON object in UTF-8 whose "event" is a text.';
    expect(JSON.parse(answer.text).error.message).toBe(message);
  });

  test("a wrong body is refused also where everything right would fail", async () => {
    const sandbox = await sandboxUnderTest({ failRate: 1, rateLimitPerSecond: 1e-3 });
    expect((await post(sandbox, { body: "[]" })).status).toBe(400);
    expect((await post(sandbox, { headers: { authorization: "Bearer " } })).status).toBe(401);
    expect(sandbox.counts()).toMatchObject({ throttled: 0, failed: {} });
  });
});
