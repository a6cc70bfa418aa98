import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { readLog } from "../../src/journal/log.ts";
import { type JournalRecord, journalFile } from "../../src/journal/read-journal.ts";
import { nodeDisk } from "../../src/model/disk/node-disk.ts";
import { CannotStartError } from "../../src/model/errors.ts";
import { type Account, readAccount } from "../../src/run/account/read-account.ts";
import { readPartRecord } from "../../src/run/send/part-record.ts";
import { sealOf } from "../../src/run/send/seal.ts";
import { openState } from "../../src/run/state/state-file.ts";
import type { StateOwner } from "../../src/run/state/state-text.ts";
import { situation } from "../cli/situation.ts";
import { type Reply, startService } from "../delivery/service-under-test.ts";
import { hurry } from "../hurry.ts";
import { intentOf, lineOf, sealed } from "../journal/given-import.ts";
import { isThorough } from "../runs.ts";

/** What somebody may have put in the place of any member; and none. */
const wrong: readonly unknown[] = [
  ...[
    undefined,
    null,
    true,
    "",
    "x",
    "\0",
    "__proto__",
    "2026-02-30T01:00:00.000Z",
    "y".repeat(70_000),
  ],
  ...[-1, 0, 1.5, 7, 1e300, [], {}, JSON.parse('{"__proto__":{"a":1}}')],
];

type Change = readonly [at: string, changed: object];

/** A copy for each member and each wrong value, of a list for the members of its first item; and where that is. */
function* changesOf(value: unknown): Generator<Change> {
  for (const at of membersOf(value)) {
    for (const one of wrong) yield [at.join("."), withMember(value, at, one) as object];
  }
}

function* membersOf(value: unknown): Generator<readonly string[]> {
  if (typeof value !== "object" || value === null) return;
  const members = Object.entries(value);
  for (const [name, member] of Array.isArray(value) ? members.slice(0, 1) : members) {
    yield [name];
    for (const at of membersOf(member)) yield [name, ...at];
  }
}

function withMember(
  value: unknown,
  [name = "", ...rest]: readonly string[],
  one: unknown,
): unknown {
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  const members = copy as Record<string, unknown>;
  const member = rest.length === 0 ? one : withMember(members[name], rest, one);
  if (member === undefined) delete members[name];
  else members[name] = member;
  return copy;
}

const mapping = `version: 1
resource: contacts
event: contact.updated
ordering_key: [Email]
members: { email: { column: Email, required: true }, age: { column: Age, type: integer } }
gone: { event: contact.deleted, members: { email: Email } }
`;
const people = "Email,Age\nann@x.example,1\nbob@x.example,2\neve@x.example,?\njoe@x.example,4\n";

/** A folder with the files of runs, in which commands are tried with one of them changed. */
async function place() {
  const { run, path, write, folder } = await situation();
  let reply: (email: string) => Reply = () => ({ status: 202 });
  const service = await startService(({ body }) => reply(JSON.parse(body).email));
  await write("people.csv", people);
  await write("people.yaml", mapping);
  const send = `--base-url ${service.url} --mapping ${path("people.yaml")}`;
  const command = async (line: string) => {
    const typed = line.replaceAll(/\b(?:people|a|m)\./g, path).replace("SEND", send);
    const { status, stdout, stderr } = await run(typed, { env: { XDG_STATE_HOME: path("key") } });
    return { status, said: stdout + stderr };
  };
  const ours = async () =>
    (await readdir(folder)).filter((name) => /^[am]\.|\.jsonl/.test(name)).map(path);
  const keep = async () =>
    Promise.all((await ours()).map(async (name) => [name, await readFile(name)] as const));
  return {
    ...{ path, command, stateFolder: path("key/eventload") },
    answer(next: typeof reply) {
      reply = next;
    },
    /**
     * Tries each wrong member of a value. What is refused, is refused by its name; all others do no harm to any command.
     *
     * @param put writes the file that has it
     * @param read reads the file, as every command does
     * @returns those that do no harm
     */
    async tryAll(
      file: string,
      changes: Iterable<Change>,
      put: (changed: object) => Promise<void>,
      read: () => Promise<CannotStartError | undefined>,
      commands: readonly string[],
      every = 5,
    ) {
      const before = await keep();
      const restore = async () => {
        const names = new Set(before.map(([name]) => name));
        for (const name of await ours()) if (!names.has(name)) await rm(name, { recursive: true });
        for (const [name, bytes] of before) await writeFile(name, bytes);
      };
      const accepted: Change[] = [];
      let number = 0;
      for (const [at, changed] of changes) {
        // Of any few values of a member, one; the soak takes all.
        if (number++ % (isThorough ? 1 : every) > 0) continue;
        const where = `${file}: ${at}`;
        await put(changed);
        const error = await read();
        if (error !== undefined) {
          const { message } = error;
          expect(message, where).toContain(file.replace("a.run.json", "a."));
          expect(message, where).not.toMatch(bug);
          expect(message, where).toMatch(refusal);
          const [, named = ""] = /(?:\(|: )([\w.[\]]+) is not as eventload/.exec(message) ?? [];
          const member = named.replaceAll(/\[(\d+)\]/g, ".$1");
          expect(at.startsWith(member) || member.startsWith(at), `${where}: ${message}`).toBe(true);
          continue;
        }
        // The commands take turns.
        const turn = commands.slice(accepted.push([at, changed]) % commands.length).slice(0, 1);
        for (const line of isThorough ? commands : turn) {
          const { status, said } = await command(line);
          // Rows that a journal makes up do not add up, which is said.
          const isCounted = said.includes("do not rely on this run. If nobody has edited");
          if (!isCounted) expect(said, `${where}: ${line}`).not.toMatch(bug);
          const isReading = /^(status|report|check)/.test(line);
          expect(status, `${where}: ${line}: ${said}`).toBeGreaterThanOrEqual(isReading ? 0 : 1);
          if (isReading) continue;
          await restore();
          await put(changed);
        }
      }
      await restore();
      return accepted;
    },
  };
}

const textOf = (line: object) => `${JSON.stringify(line)}\n`;

/** A member is named, or what differs from the other files. */
const refusal =
  /is not as eventload writes it|do not add up|is missing|was changed|another|not a state|does not fit/;

/** Nothing that is printed may look like this. */
const bug = /bug in eventload|\n\s+at |TypeError|RangeError|undefined|NaN|Invalid|\[object/;

const errorOf = (account: Account) => (account.kind === "damaged" ? account.error : undefined);
const orError = (error: unknown): CannotStartError => {
  if (error instanceof CannotStartError) return error;
  throw error;
};

test("a wrong member of a manifest is refused by its name, or does no harm", async () => {
  const { path, command, answer, tryAll, stateFolder } = await place();
  answer((email) => ({ status: email.startsWith("bob") ? 422 : 202 }));
  await command("import people.csv SEND --shard 1/1 --results a.results.csv");
  expect((await command("retry a.failed.csv")).status).toBe(1);
  const file = path("a.run.json");
  const { seal: _, ...manifest } = JSON.parse(await readFile(file, "utf8"));
  const read = async () => errorOf(await readAccount(path("a.results.csv")));
  const put = (one: object) => writeFile(file, JSON.stringify(one));
  const harmless = await tryAll(file, changesOf(manifest), put, read, [
    ...["status a.results.csv", "report a.results.csv --text", "report a.results.csv --json"],
    ...["report a.results.csv", "retry a.failed.csv SEND", "resume a.results.csv"],
  ]);
  const sealed = async (one: object) =>
    writeFile(file, JSON.stringify({ ...one, seal: await sealOf(file, one, stateFolder) }));
  await tryAll(file, harmless, sealed, read, [
    ...["retry a.failed.csv", "merge a.results.csv --results m.results.csv"],
  ]);
});

test("so is one of a journal", async () => {
  hurry(20); // each resume waits for two looks
  const { path, command, answer, tryAll } = await place();
  answer((email) => ({ status: email.startsWith("bob") ? 422 : 202 }));
  await command("import people.csv SEND --results a.results.csv");
  const headers = { "retry-after": "3600" };
  answer(() => ({ status: 429, headers }));
  expect((await command("retry a.failed.csv")).status).toBe(3);
  const journal = path("a.results.csv.journal");
  const file = journalFile(journal, 2);
  const records: JournalRecord[] = [];
  for await (const { lines } of readLog(nodeDisk.readChunks(file))) {
    records.push(...(lines as JournalRecord[]));
  }
  const manifest = JSON.parse(await readFile(path("a.run.json"), "utf8"));
  const line = lineOf(2, { status: "rejected", errorCode: "http_422", error: "no" });
  records.push(
    intentOf(1, { attempt: 2 }),
    { ...line, holdsBack: "0123456789abcdef" },
    { ...line, rowOfRun: 1, isKept: true },
    { kind: "end", end: { manifest } },
  );
  answer(() => ({ status: 422 }));
  const read = () => readPartRecord(nodeDisk, journal).then(() => undefined, orError);
  const kinds = new Map(records.map((record, at) => [Object.keys(record).join(), at]));
  for (const at of kinds.values()) {
    const put = (one: object) => {
      const isEnd = records[at]?.kind === "end";
      const lines: object[] = isEnd
        ? [...records.slice(0, 1), one]
        : records.slice(0, -1).with(at, one as JournalRecord);
      return writeFile(file, sealed(lines.map(textOf).join(""), 0));
    };
    const commands = [
      ...["status a.results.csv", "report a.results.csv --text", "resume a.results.csv SEND"],
    ];
    const isLarge = ["row", "end"].includes(records[at]?.kind ?? "");
    await tryAll(journal, changesOf(records[at]), put, read, commands, isLarge ? 29 : 7);
  }
});

test("so is one of a state", async () => {
  const { path, command, tryAll } = await place();
  const night = "people.csv SEND --state people.state.jsonl";
  expect((await command(`import ${night} --results a.results.csv`)).status).toBe(1);
  const file = path("people.state.jsonl");
  const text = await readFile(file, "utf8");
  const lines = text
    .trimEnd()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  const owner = lines[0] as StateOwner;
  const settings = { disk: nodeDisk, path: file, owner };
  const read = () =>
    openState(settings).then(async (log) => {
      await log.close();
      return undefined;
    }, orError);
  const kinds = new Map(lines.map((line, at) => [Object.keys(line).join(), at]));
  for (const at of kinds.values()) {
    const put = (one: object) => {
      const rendered = lines.with(at, one).map(textOf).join("");
      const sum = crc32(rendered).toString(16).padStart(8, "0");
      return writeFile(file, `${rendered}${textOf({ keys: lines.length - 1, sum })}`);
    };
    await tryAll(file, changesOf(lines[at]), put, read, [
      ...[`check ${night}`, `import ${night} --results m.results.csv`],
    ]);
  }
});
