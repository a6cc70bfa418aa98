import { describe, expect, it } from "vitest";
import type { SettingOrigin, SettingsLayer } from "../../../src/cli/options/arguments.ts";
import { tokenSource } from "../../../src/cli/options/token-source.ts";

/** Layers as the settings have them: what is said in each place, by the names of the options. */
function layersOf(places: readonly (readonly [SettingOrigin, readonly string[]])[]) {
  const layers = places.map(
    ([origin, names]): SettingsLayer =>
      new Map(
        names.map((name) => {
          const value =
            name === "base-url" ? `https://${origin.replace(" ", "-")}.example.com/` : name;
          return [
            name,
            { value, origin, place: name === "token" ? "EVENTLOAD_TOKEN" : `--${name}` },
          ];
        }),
      ),
  );
  return { layers };
}

describe("the token comes from", () => {
  type Place = readonly [SettingOrigin, readonly string[]];

  it.each<["file" | "command" | "value", ...Place[]]>([
    ["file", ["command line", ["token-file"]], ["environment", ["token"]]],
    ["value", ["environment", ["token"]], ["configuration", ["token-file"]]],
    ["command", ["target", ["token-command"]], ["environment", ["token"]]],
    ["command", ["configuration", ["token-command"]]],
  ])("the first place that says one: a %s", (kind, ...places) => {
    expect(tokenSource(layersOf(places), {}, "https://example.com").kind).toBe(kind);
  });

  it("nowhere, if no place says one", () => {
    expect(() => tokenSource(layersOf([]), {}, undefined)).toThrow("No token: set EVENTLOAD_TOKEN");
  });

  it("one of two at the same place", () => {
    const both = layersOf([["command line", ["token-file", "token-command"]]]);
    expect(() => tokenSource(both, {}, undefined)).toThrow(
      "--token-file: give it or --token-command",
    );
  });
});

const at = (origin: string) => `https://${origin}.example.com`;

it.each<[string, SettingOrigin | "the variable", SettingOrigin[], string, "goes" | string]>([
  ["to the address beside it", "configuration", ["configuration"], at("configuration"), "goes"],
  ["of the file to another", "configuration", ["configuration"], at("other"), "--token-file"],
  ["of the file to a target", "configuration", ["target", "configuration"], at("target"), "file"],
  ["of a target to another", "target", ["target"], at("other"), "--token-file"],
  ["of a target to the file's address", "target", ["configuration"], at("configuration"), "goes"],
  ["of the environment to its address", "the variable", ["environment"], at("environment"), "goes"],
  ["of the environment to another", "the variable", ["environment"], at("other"), "EVENTLOAD_"],
  ["of the environment, with no address there", "the variable", ["target"], at("target"), "goes"],
  ["that was typed", "command line", ["target", "environment"], at("other"), "goes"],
])("a token: %s", (_, origin, addressesAt, baseUrl, outcome) => {
  const isVariable = origin === "the variable";
  const at = isVariable ? "environment" : (origin as SettingOrigin);
  const token = [at, [isVariable ? "token" : "token-file"]] as const;
  const addresses = addressesAt.map((one) => [one, ["base-url"]] as const);
  const find = () => tokenSource(layersOf([token, ...addresses]), {}, baseUrl);
  if (outcome === "goes") expect(find().kind).toBe(isVariable ? "value" : "file");
  else {
    expect(find).toThrow(/^The token from (--token-file|EVENTLOAD_TOKEN) is for https:/);
    expect(find).toThrow(outcome);
    expect(find).toThrow(`and is not sent to ${baseUrl}: give`);
  }
});
