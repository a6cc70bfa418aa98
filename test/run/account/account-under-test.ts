import { expect } from "vitest";
import { journalNumbers } from "../../../src/journal/read-journal.ts";
import { nodeDisk } from "../../../src/model/disk/node-disk.ts";
import type { RunSummary } from "../../../src/model/run-events.ts";
import { type PartOptions, runNextPart } from "../../../src/run/account/next-part.ts";
import { runResume } from "../../../src/run/account/resume.ts";
import type { ImportOptions, RetryOptions } from "../../../src/run/options/import-options.ts";
import { thisMachine } from "../../../src/run/send/run-context.ts";
import {
  accepted,
  type Receipt,
  type Reply,
  startService,
} from "../../delivery/service-under-test.ts";
import { deadlineMs } from "../../fake-clock.ts";
import type { Table } from "../../nasty-cells.ts";
import { openWorkspace, type Workspace } from "../import-under-test.ts";

export const failedRows = "people.failed.csv";
export const results = "people.results.csv";

type Body = Readonly<Record<string, string>>;
type Answer = (body: Body, receipt: Receipt) => Reply | Promise<Reply>;

/** An import whose service answers as the test says, now and in each part. */
export async function openAccount(table: Table, mapping: string) {
  const people = await openWorkspace(table, mapping);
  let answer: Answer = () => accepted;
  const service = await startService((receipt) => answer(JSON.parse(receipt.body), receipt));
  const { url } = service;
  let seen = 0;
  return {
    ...{ people, url, service },
    answer(next: Answer) {
      answer = next;
    },
    import: (options?: Partial<Omit<ImportOptions, "baseUrl">>) => people.import(url, options),
    retry: (name = failedRows, options?: Partial<RetryOptions>) => people.retry(url, name, options),
    resume: (options: object = {}): Promise<RunSummary> =>
      runResume({
        ...{ results: people.path(results), token: "a-token", clock: people.clock },
        ...{ timeoutMs: deadlineMs, maxAttempts: 3, ...options },
      }),
    /** A retry on a machine whose disk has so much room. */
    retryWithRoom: (freeBytes: number) =>
      runNextPart(
        {
          ...{ input: people.path(failedRows), mapping: people.path("people.yaml"), baseUrl: url },
          ...{ token: "a-token", results: people.path(results), inputName: "people.csv" },
          given: people.path(failedRows),
        } as PartOptions,
        "retry",
        { ...thisMachine, disk: { ...thisMachine.disk, freeBytes: async () => freeBytes } },
      ),
    /** The bodies that arrived since this was last asked. */
    received(): Body[] {
      const fresh = service.receipts.slice(seen);
      seen = service.receipts.length;
      return fresh.map(({ body }) => JSON.parse(body));
    },
    lines: (name = results) => people.lines(name),
    /** What became of each event: row, event, status and code. */
    account: async (name = results) => (await people.lines(name)).map(said),
    manifest: async () => JSON.parse(await people.text("people.run.json")),
    /** Changes the text of a file. */
    async edit(name: string, change: (text: string) => string) {
      const before = await people.text(name);
      const after = change(before);
      expect(after).not.toBe(before);
      await people.write(name, after);
    },
    /** Changes the lines of a file. */
    editLines: (name: string, change: (lines: string[][]) => readonly (readonly string[])[]) =>
      editLines(people, name, change),
    selected: () => {
      const notice = people.notices.findLast(({ kind }) => kind === "selected");
      return notice?.kind === "selected" ? notice.selection : undefined;
    },
    /** What a retry is refused with; nothing may be sent, and nothing changed. */
    async refused(act: () => Promise<RunSummary>) {
      const files = [results, failedRows, "people.run.json"];
      const before = await Promise.all(files.map((name) => people.text(name).catch(() => "")));
      const sent = service.receipts.length;
      const error = await act().then(
        (summary) => expect.fail(JSON.stringify(summary)),
        (reason: Error & { code: string; details: string[] }) => reason,
      );
      expect(service.receipts.length).toBe(sent);
      expect(await Promise.all(files.map((name) => people.text(name).catch(() => "")))).toEqual(
        before,
      );
      expect(await journalNumbers(nodeDisk, people.path(`${results}.journal`))).toEqual([]);
      return { code: error.code, message: error.message, details: error.details };
    },
  };
}

async function editLines(
  people: Workspace,
  name: string,
  change: (lines: string[][]) => readonly (readonly string[])[],
): Promise<void> {
  const [header = [], ...lines] = await people.records(name);
  await people.write(name, [header, ...change(lines)]);
}

function said(line: Record<string, string>): string {
  const { import_row: row, import_event: event, import_status, import_error_code: code } = line;
  return `${row}/${event} ${import_status}${code ? ` ${code}` : ""}`;
}

export const names = (bodies: readonly Body[]) => bodies.map(({ name }) => name).sort();

/** `Ann`, `Bo`, … as a table, with a mapping of one event each. */
export const oneEvent = `version: 1
resource: users
event: user.updated
members: { name: { column: name, required: true }, note: note, id: { meta: event_id }, row: { meta: row } }
`;

export const table = (...people: readonly string[]): Table => [
  ["name", "note"],
  ...people.map((name) => [name, ""]),
];

/** Takes everybody but these. */
export const all =
  (...refused: readonly string[]): Answer =>
  ({ name = "" }) =>
    refused.includes(name) ? { status: 422, body: "no" } : accepted;
