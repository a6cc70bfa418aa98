import { path, wholeNumber } from "../../model/value-types.ts";
import type { Command } from "../command.ts";
import { inputOf, mappingMissing, mappingOf } from "../options/input.ts";
import {
  baseUrlToCheck,
  configOptions,
  mappingOptions,
  outputOptions,
  readingOptions,
  rowOptions,
  serviceOptions,
  shardOption,
  stateOptions,
} from "../options/option-list.ts";
import { typedOutput, typedRows } from "../options/option-types.ts";

export const checkCommand: Command = {
  usage: "check <input..>",
  summary: "Map every row and report every problem, without sending",
  positional: {
    name: "input",
    describe: "The CSV file or workbook (or several), or - for standard input",
    isList: true,
    takesStdin: true,
  },
  options: {
    ...mappingOptions,
    ...readingOptions,
    ...serviceOptions,
    ...baseUrlToCheck,
    ...rowOptions,
    ...shardOption,
    ...stateOptions,
    row: typedRows("Show the requests of row n, with the token masked", wholeNumber(1), {
      conflicts: ["skip", "limit", "problems"],
    }),
    problems: typedOutput(
      "Write every problem to this CSV file; an existing one is replaced",
      path,
    ),
    ...outputOptions,
    ...configOptions,
  },
  examples: [
    ["check people.csv", "use the mapping people.yaml beside the input"],
    ["check people.csv -m crm.yaml --problems problems.csv", "write every problem to a file"],
    ["check people.csv --state night.jsonl --base-url https://example.com", "what a night sends"],
    ["check people.csv --row 42", "show the requests of row 42"],
  ],
  async run(args, host) {
    const input = inputOf(args, host);
    const mapping = await mappingOf(args, input);
    if (mapping === undefined) throw await mappingMissing(input);
    const row = args.number("row");
    const { listProblems, showRow } = await import("../run-check.ts");
    return row === undefined
      ? listProblems(input, mapping, args, host)
      : showRow(row, input, mapping, args, host);
  },
};
