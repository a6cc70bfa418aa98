import { describe, expect, it } from "vitest";
import { runOptions, sendOptions, stateOptions } from "../../../src/cli/options/option-list.ts";
import type { Option } from "../../../src/cli/options/option-types.ts";
import { situation } from "../situation.ts";

const namesOf = (options: Readonly<Record<string, Option>>) =>
  Object.entries(options).flatMap(([name, { written }]) => (written === undefined ? [] : [name]));
const besides = namesOf(runOptions);
const endings: Record<string, string> = { report: ".html", "metrics-file": ".prom" };

describe("what a run writes", () => {
  it.each(namesOf({ ...sendOptions, ...stateOptions }))(
    "may have placeholders: %s",
    async (name) => {
      const { import: send, path } = await situation();
      const { status, stderr } = await send([`--${name}`, path("a{b}.results.csv")]);
      expect([status, stderr]).toEqual([2, expect.stringContaining("{b}")]);
    },
  );

  it.each(besides)("is never two things in one file: %s", async (name) => {
    const { import: send, path } = await situation();
    for (const other of besides.filter((one) => one !== name)) {
      const kinds = [name, other].flatMap((one) => endings[one] ?? []);
      if (kinds.length > 1) continue;
      const twice = [name, other].flatMap((one) => [`--${one}`, path(`a${kinds[0]}`)]);
      const { status, stderr } = await send(twice);
      expect([status, stderr]).toEqual([2, expect.stringContaining("; name another for the")]);
    }
  });

  it("is known of all options that name a file which a run does not read", () => {
    const read = ["token-file", "ca-file"];
    const paths = Object.entries(sendOptions).filter(([, { isPath }]) => isPath);
    const written = paths.map(([name]) => name).filter((name) => !read.includes(name));
    expect(written).toEqual(namesOf(sendOptions));
  });
});
