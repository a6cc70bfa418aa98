import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startService } from "../delivery/service-under-test.ts";
import { scenario } from "./scenario.ts";

/** A service that answers as told, and what it got. */
async function service(statusOf: (method: string) => number = () => 202) {
  const got: string[] = [];
  const { url } = await startService(({ method, path, body }) => {
    got.push(`${method} ${path} ${body}`);
    return { status: statusOf(method) };
  });
  return { url, take: () => got.splice(0).toSorted() };
}

/** A mapping for a log of changes, in which an event for each action can name its method. */
const mapping = (methods: Readonly<Record<string, string>>) =>
  `version: 1\nresource: users\nordering_key: [Id]\nevents:\n${Object.entries(methods)
    .map(
      ([action, method]) =>
        `  - { event: user.${action}, ${method}when: { column: Action, in: [${action}] }, members: { id: Id } }\n`,
    )
    .join("")}`;
const allPosted = mapping({ created: "", updated: "", deleted: "" });
const ownMethods = mapping({
  created: "method: POST, ",
  updated: "method: PUT, ",
  deleted: "method: DELETE, ",
});

async function changes(mappingText: string) {
  const opened = await scenario("plain");
  const write = (name: string, content: string) =>
    writeFileSync(join(opened.folder, name), content);
  write("people.csv", "Id,Action\n7,created\n8,deleted\n9,updated\n");
  write("people.yaml", mappingText);
  return { ...opened, write };
}

const path = "/v1/users/events";
const sent = [
  `DELETE ${path} {"event":"user.deleted","id":"8"}`,
  `POST ${path} {"event":"user.created","id":"7"}`,
  `PUT ${path} {"event":"user.updated","id":"9"}`,
];

it("sends each event with the method of its block, retries too, and check says the same", async () => {
  const { url, take } = await service((method) => (method === "DELETE" ? 400 : 202));
  const { eventload, records } = await changes(ownMethods);
  const { stderr } = await eventload("check people.csv");
  expect(stderr).toContain(
    'Events: 1 × "user.created" (users), 1 × "user.deleted" (DELETE users), 1 × "user.updated" (PUT users)',
  );
  expect((await eventload("check people.csv --row 2")).stdout).toContain(
    `DELETE {base_url}${path}\n`,
  );
  const imported = await eventload(`import people.csv --base-url ${url}`);
  expect(imported.status).toBe(1);
  expect(take()).toEqual(sent);
  const retried = await eventload(`retry people.failed.csv --base-url ${url}`);
  expect(retried.status).toBe(1);
  expect(take()).toEqual(sent.slice(0, 1));
  expect((await records("people.results.csv")).map((line) => line.import_status)).toEqual([
    ...["succeeded", "rejected", "succeeded"],
  ]);
});

it("sends what gets another method at night, and a POST has the id and digest of before", async () => {
  const { url, take } = await service();
  const { eventload, write, read, records } = await changes(allPosted);
  const night = async (results: string) => {
    const to = ["--base-url", url, "--state", "state.jsonl", "--results", `${results}.results.csv`];
    expect((await eventload(["import", "people.csv", ...to])).status).toBe(0);
    const known = new Map<string, string>();
    for (const line of (await read("state.jsonl")).split("\n")) {
      const [, key, digest] = /^\{"k":\["(.)"\],"d":"(\w+)"/.exec(line) ?? [];
      if (key !== undefined && digest !== undefined) known.set(key, digest);
    }
    return known;
  };
  const first = await night("first");
  expect(first.get("7")).toBe("dd2971680eb4378c");
  take();

  write("people.yaml", ownMethods);
  const second = await night("second");
  expect(take()).toEqual(sent.filter((one) => !one.startsWith("POST")));
  expect(["7", "8", "9"].map((key) => second.get(key) === first.get(key))).toEqual([
    ...[true, false, false],
  ]);
  const idsOf = async (name: string) =>
    new Map((await records(name)).map((line) => [line.Id, line.import_event_id]));
  const [before, after] = [await idsOf("first.results.csv"), await idsOf("second.results.csv")];
  expect(before.get("7")).toMatch(/^[0-9a-f-]{36}$/);
  expect([...after.keys()]).toEqual(["8", "9"]);
  expect(after.get("8")).not.toBe(before.get("8"));

  write("people.yaml", allPosted);
  expect(await night("third")).toEqual(first);
  expect(take().map((one) => one.split(" ")[0])).toEqual(["POST", "POST"]);
});

it("takes the method of a gone event and of a function, and names one that there is not", async () => {
  const { url, take } = await service();
  const { eventload, write } = await changes(
    "version: 1\nresource: users\nordering_key: [Id]\nevent: user.seen\nmembers: { id: Id }\n" +
      "gone: { method: DELETE, event: user.gone, members: { id: Id } }\n",
  );
  const night = ["--base-url", url, "--state", "state.jsonl", "--max-gone", "100%"];
  await eventload(["import", "people.csv", ...night, "--results", "first.results.csv"]);
  take();
  write("people.csv", "Id,Action\n7,created\n8,deleted\n");
  await eventload(["import", "people.csv", ...night, "--results", "second.results.csv"]);
  expect(take()).toEqual([`DELETE ${path} {"event":"user.gone","id":"9"}`]);

  write(
    "people.mjs",
    'export default ({ Id }) => ({ resource: "users", method: Id === "7" ? "PUT" : "put", body: { event: "e", id: Id } });\n',
  );
  const module = ["people.csv", "--mapping", "people.mjs"];
  const { stdout } = await eventload(["check", ...module]);
  expect(stdout).toContain('returned the method "put": use POST, PUT, DELETE, or none for POST');
  await eventload(["import", ...module, "--base-url", url]);
  expect(take()).toEqual([`PUT ${path} {"event":"e","id":"7"}`]);
});
