import { describe, expect, it } from "vitest";
import type { Origin } from "../../src/cli/setting.ts";
import { tokenSource } from "../../src/cli/token-source.ts";

function argumentsWith(origins: { readonly [name: string]: Origin }) {
  return {
    list: () => [],
    text: () => undefined,
    number: () => undefined,
    flag: () => false,
    setting(name: string) {
      const origin = origins[name];
      return origin === undefined ? undefined : { value: name, origin, place: `--${name}` };
    },
  };
}

const file = "token-file";
const command = "token-command";

describe("the token comes from", () => {
  it.each<[{ readonly [name: string]: Origin }, string, "file" | "command" | "value"]>([
    [{ [file]: "command line" }, "set", "file"],
    [{ [file]: "environment" }, "set", "file"],
    [{ [file]: "configuration" }, "set", "value"],
    [{ [file]: "configuration" }, " ", "file"],
    [{ [file]: "configuration", [command]: "command line" }, "", "command"],
    [{ [file]: "command line", [command]: "environment" }, "", "file"],
    [{ [command]: "configuration" }, "", "command"],
    [{}, "set", "value"],
  ])("%j with EVENTLOAD_TOKEN=%j: the %s", (origins, value, kind) => {
    const env = { EVENTLOAD_TOKEN: value };
    expect(tokenSource(argumentsWith(origins), env).kind).toBe(kind);
  });

  it("nowhere, where the variable is blank", () => {
    const find = () => tokenSource(argumentsWith({}), { EVENTLOAD_TOKEN: " " });
    expect(find).toThrow("No token: set EVENTLOAD_TOKEN");
  });

  it("one of two places that count the same", () => {
    const both = argumentsWith({ [file]: "environment", [command]: "environment" });
    expect(() => tokenSource(both, {})).toThrow("--token-file: give it or --token-command");
  });
});
