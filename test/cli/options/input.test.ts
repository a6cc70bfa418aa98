import { describe, expect, test } from "vitest";
import type { Command } from "../../../src/cli/command.ts";
import { checkCommand } from "../../../src/cli/commands/check.ts";
import { retryCommand } from "../../../src/cli/commands/retry.ts";
import {
  type Arguments,
  type GivenValue,
  readArguments,
} from "../../../src/cli/options/arguments.ts";
import { readingOf, resultsReadingOf } from "../../../src/cli/options/input.ts";

type Origin = GivenValue["origin"];

function given(
  values: Record<string, string>,
  origin: Origin = "command line",
  command: Command = checkCommand,
): Arguments {
  const settings = Object.entries(values).map(([name, value]): [string, GivenValue] => [
    name,
    { value, origin, place: `--${name}` },
  ]);
  return readArguments(command, [new Map(settings)]);
}

describe("how an input is to be read", () => {
  test("is left open where nothing was said", () => {
    expect(readingOf(given({}))).toEqual({});
    expect(readingOf(given({ "no-header": "false" }))).toEqual({});
  });

  test.each([
    ["encoding", "Windows-1252", { encoding: "Windows-1252" }],
    ["delimiter", ";", { delimiter: ";" }],
    ["delimiter", "tab", { delimiter: "\t" }],
    ["quote", "none", { quote: "" }],
    ["no-header", "true", { header: false }],
    ["skip-lines", "3", { skipLines: 3 }],
    ["sheet", "2", { sheet: "2" }],
    ["escape", "\\", { escape: "\\" }],
    ["short-rows", "pad", { shortRows: "pad" }],
    ["hidden-rows", "skip", { hiddenRows: "skip" }],
  ])("--%s %s", (name, value, reading) => {
    expect(readingOf(given({ [name]: value }))).toEqual(reading);
  });

  test.each([
    ["encoding", "utf-9", '--encoding: "utf-9" is not a known encoding; give one such as'],
    ["delimiter", '"', "--delimiter: it cannot hold a line end or a double quote"],
    ["quote", "''", "--quote: \"''\" is not one character, or the word none."],
    ["escape", "^", '--escape: "^" is not one of \\.'],
    ["short-rows", "fill", '--short-rows: "fill" is not one of invalid, pad'],
    ["skip-lines", "-1", '--skip-lines: "-1" is not a whole number, 0 or more'],
  ])("--%s %s is refused", (name, value, sentence) => {
    expect(() => given({ [name]: value })).toThrow(sentence);
  });

  test("is of results what was typed, as settings are about inputs", () => {
    const settings = { encoding: "utf-16le", delimiter: ";", sheet: "People" };
    const all = { ...settings, "no-header": "true", "skip-lines": "1" };
    const ofRetry = (origin: Origin) => resultsReadingOf(given(all, origin, retryCommand));
    expect(ofRetry("command line")).toEqual(settings);
    expect(ofRetry("configuration")).toEqual({});
  });
});
