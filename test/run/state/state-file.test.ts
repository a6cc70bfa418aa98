import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { knownOf } from "../../../src/run/state/known-keys.ts";
import type { StateFile } from "../../../src/run/state/state-file.ts";
import type { KnownKey } from "../../../src/run/state/state-text.ts";
import { mulberry32 } from "../../../src/sandbox/faults.ts";
import { sealed } from "../../journal/given-import.ts";
import { createSimulatedDisk, type SimulatedDisk } from "../../journal/simulated-disk.ts";
import { put } from "../account/account-on-disk.ts";
import { holding, night, open, path, stateText } from "./night-under-test.ts";

const d = "0123456789abcdef";
const known = { ann: { d }, bob: {}, eve: { d, away: true }, joe: { away: true } } as const;
const line = { ...night, run: "2026-11-23T01:00:00.000Z" };

async function textOf(disk: SimulatedDisk): Promise<string> {
  return ((await disk.read(path)) ?? "").toString();
}

async function allIn(state: StateFile): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for await (const lines of state.keyLines()) {
    for (const { key } of lines as KnownKey[]) all[key] = knownOf(state.keys.entry(key));
  }
  return all;
}

const first =
  '{"eventload_state":1,"base_url":"https://example.com","ordering_key":["Email"],"shard":null}\n';

describe("a state", () => {
  it("says of each key what the service has, and is rendered as it was", async () => {
    const text = stateText(known, { night, broken: true });
    const disk = await holding(text);
    const state = await open(disk);
    expect(await allIn(state)).toEqual(known);
    expect(state).toMatchObject({ isFirst: false, isLeft: false, nights: { night, broken: true } });
    await state.rewrite({ night, broken: true });
    expect(await textOf(disk)).toBe(text);
    const made = await state.renderTo({ night });
    expect((await disk.read(`${path}.new`))?.toString()).toBe(stateText(known, { night }));
    expect(made.bytes).toBe(stateText(known, { night }).length);
  });

  it("of format 1 is rendered as 2: of the lines of a key the last counts, and what is gone has none", async () => {
    const lines = [
      ...[night, { k: ["ann"] }, { k: ["bob"] }, { k: ["ann"], d }, { k: ["joe"], gone: true }],
      ...[
        { k: ["eve"], d, away: true },
        { k: ["joe"], away: true },
        { k: ["kim"], gone: true },
      ],
    ];
    const text = lines.map((one) => `${JSON.stringify(one)}\n`).join("");
    for (const isNothing of [false, true]) {
      const end = isNothing ? sealed('{"end":"2026-11-22T02:00:00.000Z"}\n', 0) : "";
      const disk = await holding(`${sealed(first, 0)}${sealed(text, 0)}${end}`);
      const state = await open(disk);
      const nights = isNothing ? { night } : { night, broken: true as const };
      expect(state).toMatchObject({ isLeft: true, nights });
      await state.rewrite(nights);
      const { ann, bob, eve, joe } = known;
      expect(await textOf(disk)).toBe(stateText({ ann, bob, joe, eve }, nights));
    }
  });

  it("keeps any text as a key, also of several cells", async () => {
    const cell = fc.string({ unit: "binary" });
    const property = fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 3 }), async (k) => {
      const own = { ordering_key: k.map((_, at) => `Column ${at}`) };
      const key = k.length === 1 ? (k[0] ?? "") : JSON.stringify(k);
      const header = first.replace('["Email"]', JSON.stringify(own.ordering_key));
      const disk = await holding(sealed(`${header}${JSON.stringify({ k, d })}\n`, 0));
      await (await open(disk, own)).rewrite({});
      const state = await open(disk, own);
      expect(await allIn(state)).toEqual({ [key]: { d } });
    });
    await fc.assert(property, { numRuns: 60 });
  });

  it("has a line of a run that has begun, until it is cut off or the state is rendered", async () => {
    const text = stateText(known);
    const disk = await holding(text);
    const state = await open(disk);
    for (const end of ["cut", "rewrite"] as const) {
      await state.append(line);
      const begun = await open(disk);
      // Its journal is gone, so nothing is known.
      expect(begun).toMatchObject({ line, isLeft: true, isJournalLost: true, lastNight: line });
      const away = { away: true };
      expect(await allIn(begun)).toEqual({ ann: {}, bob: {}, eve: away, joe: away });
      await begun.close();
      await (end === "cut" ? state.cut() : state.rewrite({}));
      expect(await textOf(disk)).toBe(text);
    }
    await state.append({ run: line.run, results: line.results, retry: true });
    expect((await open(disk)).lastNight).toBeUndefined();
  });

  it("is whole without a last line that is torn", async () => {
    const text = stateText(known, { night });
    const disk = await holding(text);
    await (await open(disk)).append(line);
    const whole = await textOf(disk);
    for (let bytes = text.length; bytes < whole.length; bytes++) {
      const torn = await holding(whole.slice(0, bytes));
      const state = await open(torn);
      expect([bytes, state.line]).toEqual([bytes, undefined]);
      await state.append(line);
      expect(await textOf(torn)).toBe(whole);
    }
  });

  it("keeps a run that has begun through a power cut, and is whole wherever that comes", async () => {
    for (let at = 1, isNothing = false; !isNothing; at++) {
      const disk = createSimulatedDisk((call) => (call === begun + at ? "crash" : undefined));
      let begun = Number.POSITIVE_INFINITY;
      await put(disk, path, stateText(known));
      const state = await open(disk);
      begun = disk.calls();
      isNothing = await (at % 2 === 0 ? Promise.resolve() : state.rewrite({ night }))
        .then(() => state.append(line))
        .then(
          () => true,
          () => false,
        );
      for (let seed = 0; seed < 20; seed++) {
        const read = await open(disk.afterPowerCut(mulberry32(seed)));
        if (isNothing) expect(read.line).toEqual(line);
        expect(Object.keys(await allIn(read))).toEqual(Object.keys(known));
      }
    }
  });
});

describe("a state is refused", () => {
  it.each([
    ["it is not a state", ""],
    ["it is not a state", "Email,Name\nann@example.com,Ann\n"],
    ["it is not a state", first],
    ["it is not a state", stateText(known).slice(0, -1)],
    ["it is not a state", stateText(known).replace('{"k":["bob"]}\n', "")],
    ["another version of eventload wrote it", sealed('{"eventload_state":3}\n', 0)],
  ])("%s: %j", async (why, text) => {
    const refused = open(await holding(text));
    await expect(refused).rejects.toMatchObject({ code: "state_unreadable" });
    await expect(refused).rejects.toThrow(`The state ${path} cannot be read: ${why}`);
  });

  it.each([
    [{ base_url: "https://other.example" }, 'service ("https://example.com", not "https:'],
    [{ ordering_key: ["Id"] }, 'ordering key (["Email"], not ["Id"])'],
    [{ shard: "1/2" }, 'shard (none, not "1/2")'],
  ])("%j", async (other, words) => {
    const refused = open(await holding(stateText(known)), other);
    await expect(refused).rejects.toThrow(`The state ${path} belongs to another ${words}`);
  });

  it("not if only the order of the key's members differs", async () => {
    const own = { ordering_key: [{ column: "Email", transform: ["trim"] }] };
    const disk = await holding(
      sealed(first.replace('"Email"', JSON.stringify(own.ordering_key[0])), 0),
    );
    await (await open(disk, own)).rewrite({});
    await open(disk, { ordering_key: [{ transform: ["trim"], column: "Email" }] });
  });

  it("if any byte of what was rendered is changed", async () => {
    const whole = Buffer.from(stateText(known));
    const places = fc.integer({ min: whole.indexOf("\n"), max: whole.length - 1 });
    const property = fc.asyncProperty(places, fc.integer({ min: 1, max: 255 }), async (at, by) => {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ by;
      const refused = open(await holding(changed.toString("latin1")));
      await expect(refused).rejects.toMatchObject({ code: "state_unreadable" });
    });
    await fc.assert(property, { numRuns: 300 });
  });
});
