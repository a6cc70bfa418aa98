import { basename } from "node:path";
import { CannotStartError, cannotStart } from "../../model/errors.ts";
import { flag } from "../../model/value-types.ts";
import { type Input, isStream } from "../../run/options/input.ts";
import type { Command } from "../command.ts";
import type { Arguments } from "../options/arguments.ts";
import { importResultsOf, stateOf } from "../options/file-names.ts";
import { inputOf, mappingMissing, mappingOf, readingOf } from "../options/input.ts";
import {
  mappingOptions,
  readingOptions,
  sendOptions,
  shardOption,
  stateOptions,
} from "../options/option-list.ts";
import { optionsIn, typedRows } from "../options/option-types.ts";
import { hasToken } from "../options/token-source.ts";
import type { RunToStart } from "../run-command.ts";

export const importCommand: Command = {
  usage: "import <input..>",
  isRun: true,
  summary: "Check every row, then send its events",
  positional: {
    name: "input",
    describe: "The CSV file or workbook, several with the same columns, or - for standard input",
    isList: true,
    takesStdin: true,
  },
  options: {
    ...mappingOptions,
    ...readingOptions,
    ...sendOptions,
    ...shardOption,
    ...stateOptions,
    resume: optionsIn("Rows")("Continue the unfinished run of these results, if there is one"),
    "dry-run": typedRows("Check every row and send nothing, as eventload check does", flag, {
      conflicts: ["report"],
    }),
  },
  examples: [
    ["import people.csv --base-url https://example.com", "the token is in EVENTLOAD_TOKEN"],
    ["import people.csv -m crm.yaml --target staging --rate 50/s", "to a target of eventload.yaml"],
    ["import people.csv --base-url https://example.com --limit 10", "try the first ten rows"],
    ["import north.csv south.csv -m people.yaml --target staging", "several files"],
    ["import people.csv --target staging --state people.state.jsonl", "send only what has changed"],
  ],
  async run(args, host, observers = {}) {
    const input = inputOf(args, host);
    const mapping = await mappingOf(args, input);
    if (args.flag("dry-run")) {
      if (mapping === undefined) throw await mappingMissing(input);
      const { listProblems } = await import("../run-check.ts");
      return listProblems(input, mapping, args, host);
    }
    const baseUrl = args.text("base-url");
    if (mapping === undefined || baseUrl === undefined)
      throw await allMissing(args, input, mapping);
    const paths = isStream(input) ? [] : [input].flat();
    const resume = args.flag("resume") ? "if-unfinished" : "never";
    const results = importResultsOf(args, paths[0] ?? "stdin");
    const { runImport } = await import("../../run/account/next-part.ts");
    const { readAccount } = await import("../../run/account/read-account.ts");
    const account = resume === "never" ? undefined : await readAccount(results);
    const unfinished = account?.kind === "unfinished" ? account.part.run : undefined;
    const before = unfinished?.parts.at(-1)?.sending;
    const state = stateOf(args);
    const run: RunToStart = {
      called: {
        command: "import",
        input: paths.map((one) => basename(one)).join(", ") || "stdin",
      },
      baseUrl,
      results,
      ...(before === undefined ? {} : { before, mappingToSay: mapping, keeps: "sending" as const }),
      state: state.state,
      start: (common) =>
        runImport({
          ...common,
          input,
          mapping,
          baseUrl,
          resume,
          reading: readingOf(args),
          ...state,
          results,
        }),
    };
    const { runCommand } = await import("../run-command.ts");
    return runCommand(args, host, run, observers);
  },
};

async function allMissing(
  args: Arguments,
  input: Input,
  mapping: string | undefined,
): Promise<CannotStartError> {
  const missing = [
    ...(mapping === undefined ? [await mappingMissing(input)] : []),
    ...(args.text("base-url") === undefined ? [cannotStart("base_url_missing")] : []),
    ...(hasToken(args) ? [] : [cannotStart("token_missing")]),
  ];
  // Whatever else is missing, another command is meant, or another file.
  const isElse = ["input_not_found", "results_file_as_input"];
  const other = missing.find(({ code }) => isElse.includes(code));
  if (other !== undefined) return other;
  const [only, another] = missing;
  if (only !== undefined && another === undefined) return only;
  const { code, message } = cannotStart("settings_missing", missing.length);
  const each = missing.map((one) => one.message);
  return new CannotStartError(code, message, each);
}
