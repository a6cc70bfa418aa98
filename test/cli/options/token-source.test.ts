import { describe, expect, it } from "vitest";
import type { Origin } from "../../../src/cli/options/arguments.ts";
import { tokenSource } from "../../../src/cli/options/token-source.ts";

type Places = Readonly<Record<string, Origin>>;

/** The address beside it is called as its place is. */
function argumentsWith(places: Places, addressesAt: readonly Origin[] = []) {
  return {
    setting(name: string) {
      const origin = places[name];
      return origin === undefined ? undefined : { value: name, origin, place: `--${name}` };
    },
    settings: () =>
      addressesAt.map((origin) => ({
        value: `https://${origin.replace(" ", "-")}.example.com/`,
        origin,
        place: origin,
      })),
  };
}

const file = "token-file";
const command = "token-command";

describe("the token comes from", () => {
  it.each<[Places, string, "file" | "command" | "value"]>([
    [{ [file]: "command line" }, "set", "file"],
    [{ [file]: "environment" }, "set", "file"],
    [{ [file]: "configuration" }, "set", "value"],
    [{ [file]: "configuration" }, " ", "file"],
    [{ [file]: "configuration", [command]: "command line" }, "", "command"],
    [{ [file]: "command line", [command]: "environment" }, "", "file"],
    [{ [command]: "configuration" }, "", "command"],
    [{}, "set", "value"],
  ])("%j with EVENTLOAD_TOKEN=%j: the %s", (places, value, kind) => {
    const env = { EVENTLOAD_TOKEN: value };
    expect(tokenSource(argumentsWith(places), env, "https://example.com").kind).toBe(kind);
  });

  it("nowhere, where the variable is blank", () => {
    const find = () => tokenSource(argumentsWith({}), { EVENTLOAD_TOKEN: " " }, undefined);
    expect(find).toThrow("No token: set EVENTLOAD_TOKEN");
  });

  it("one of two places that count the same", () => {
    const both = argumentsWith({ [file]: "environment", [command]: "environment" });
    expect(() => tokenSource(both, {}, undefined)).toThrow(
      "--token-file: give it or --token-command",
    );
  });
});

describe("a token", () => {
  const at = (origin: string) => `https://${origin}.example.com`;

  it.each<[string, Origin | "the variable", Origin[], string, "goes" | string]>([
    ["to the address beside it", "configuration", ["configuration"], at("configuration"), "goes"],
    ["of the file to another", "configuration", ["configuration"], at("other"), "--token-file"],
    ["of the file without an address", "configuration", ["target"], at("target"), "goes"],
    ["of the file to a target", "configuration", ["target", "configuration"], at("target"), "file"],
    ["of a target to another", "target", ["target"], at("other"), "--token-file"],
    ["of a target to the file's address", "target", ["configuration"], at("configuration"), "goes"],
    ["of a target, the file's elsewhere", "target", ["configuration"], at("other"), "--token-file"],
    ["of a target, own address", "target", ["target", "configuration"], at("target"), "goes"],
    [
      "of the environment to its address",
      "the variable",
      ["environment"],
      at("environment"),
      "goes",
    ],
    ["of the environment to another", "the variable", ["environment"], at("other"), "EVENTLOAD_"],
    ["of the environment, no address there", "the variable", ["target"], at("target"), "goes"],
    ["that was typed", "command line", ["target", "environment"], at("other"), "goes"],
  ])("%s", (_, origin, addressesAt, baseUrl, outcome) => {
    const isVariable = origin === "the variable";
    const args = argumentsWith(isVariable ? {} : { [file]: origin }, addressesAt);
    const env = isVariable ? { EVENTLOAD_TOKEN: "set" } : {};
    const find = () => tokenSource(args, env, baseUrl);
    if (outcome === "goes") expect(find().kind).toBe(isVariable ? "value" : "file");
    else {
      expect(find).toThrow(/^The token of (--token-file|EVENTLOAD_TOKEN) is for https:/);
      expect(find).toThrow(outcome);
      expect(find).toThrow(`and is not sent to ${baseUrl}: give`);
    }
  });
});
