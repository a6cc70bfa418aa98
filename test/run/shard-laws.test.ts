import fc from "fast-check";
import { expect, test } from "vitest";
import { sum } from "../../src/model/quantities.ts";
import { mergeShards } from "../../src/run/account/merge.ts";
import { openService, type Receipt, type Reply } from "../delivery/service-under-test.ts";
import { openWorkspace } from "./import-under-test.ts";
import { accepted } from "./planned-people.ts";

const mapping = (key: string) => `version: 1
${key}events:
  - { resource: users, event: a, members: { key: key, n: { column: n, type: integer }, id: { meta: event_id } } }
  - { resource: contacts, event: b, when: { column: n, in: ["2"] }, members: { key: key } }
`;

const people = fc.array(
  fc.record({
    key: fc.constantFrom("a", "b", "c", "d", "e", "", 'say "é",\r\n'),
    n: fc.constantFrom("1", "2", "x"),
  }),
  { maxLength: 20 },
);

/** What a line says but for the time. */
const withoutTime = ({ import_finished_at: _, ...line }: Record<string, string>) => line;
const withoutTimes = (text: string) => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>");

/** The service takes nothing of this person. */
const reply = ({ body }: Receipt): Reply =>
  body.includes('"key":"d"') ? { status: 422, body: "no" } : accepted;

test("shards send and account for exactly the rows of one run, and order per key holds", async () => {
  const property = fc.asyncProperty(
    people,
    fc.integer({ min: 1, max: 7 }),
    fc.boolean(),
    async (rows, count, hasKey) => {
      const yaml = mapping(hasKey ? "ordering_key: [key]\n" : "");
      const workspace = await openWorkspace([], yaml);
      const csv = rows.map(({ key, n }) => `"${key.replaceAll('"', '""')}",${n}\n`).join("");
      await workspace.write("people.csv", `key,n\n${csv}`);
      const service = await openService(reply);
      const results = (name: string) => workspace.path(`${name}.results.csv`);
      const sent = () => service.receipts.map(({ path, body }) => `${path} ${body}`);
      const whole = await workspace.import(service.url, { results: results("whole") });
      const one = sent();
      const lines: Record<string, string>[] = [];
      const all: string[] = [];
      for (let index = 1; index <= count; index++) {
        const shard = { index, count };
        const name = `part-${index}`;
        const before = service.receipts.length;
        await workspace.import(service.url, { results: results(name), shard });
        all.push(...sent().slice(before));
        lines.push(...(await workspace.lines(`${name}.results.csv`)));
      }
      expect(all.toSorted()).toEqual(one.toSorted());
      const order = (line: Record<string, string>) => Number(line.import_row);
      lines.sort((a, b) => order(a) - order(b));
      expect(lines.map(withoutTime)).toEqual(
        (await workspace.lines("whole.results.csv")).map(withoutTime),
      );
      const merged = await mergeShards({
        shards: Array.from({ length: count }, (_, at) => results(`part-${at + 1}`)).toReversed(),
        results: results("merged"),
      });
      for (const kind of ["results.csv", "failed.csv"]) {
        expect(workspace.has(`merged.${kind}`)).toBe(workspace.has(`whole.${kind}`));
        if (!workspace.has(`whole.${kind}`)) continue;
        const [text, wanted] = [`merged.${kind}`, `whole.${kind}`].map(workspace.text);
        expect(withoutTimes((await text) ?? "")).toBe(withoutTimes((await wanted) ?? ""));
      }
      const figuresOf = async (name: string) => {
        const manifest = JSON.parse(await workspace.text(`${name}.run.json`));
        const { rows, events, counts, attempts, unanswered, perhaps_twice } = manifest;
        const { reconciliation, options, input, mapping, figures } = manifest;
        const attempted = sum(figures.series.attempts);
        const answers = figures.latency.answers;
        return {
          ...{ rows, events, counts, attempts, unanswered, perhaps_twice },
          ...{ reconciliation, options, input, mapping, attempted, answers },
        };
      };
      expect(await figuresOf("merged")).toEqual(await figuresOf("whole"));
      expect(merged).toMatchObject({ rows: whole.rows, counts: whole.counts });
      if (hasKey) {
        for (const key of new Set(rows.map((row) => row.key))) {
          const ofKey = (texts: string[]) =>
            texts.filter((text) => text.includes(`"key":${JSON.stringify(key)}`));
          if (key !== "") expect(ofKey(all)).toEqual(ofKey(one));
        }
      }
      expect(whole.rows).toBe(rows.length);
      await service.close();
      await workspace.remove();
    },
  );
  await fc.assert(property, { numRuns: 15 });
});
