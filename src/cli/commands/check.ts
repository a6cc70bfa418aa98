import { cannotStart } from "../../model/errors.ts";
import type { Command } from "../command.ts";
import { inputOf } from "../options/input.ts";
import {
  baselineOption,
  configOptions,
  mappingOptions,
  outputOptions,
  problemsPath,
  readingOptions,
  rowNumber,
  rowOptions,
  serviceOptions,
} from "../options/option-list.ts";

export const checkCommand: Command = {
  usage: "check <input..>",
  summary: "Do the whole import without sending: map every row and report every problem",
  positional: {
    name: "input",
    describe: "The CSV file or workbook (or several), a results file, or - for standard input",
    isList: true,
  },
  options: {
    ...mappingOptions,
    ...readingOptions,
    baseline: baselineOption,
    row: rowNumber,
    problems: problemsPath,
    ...serviceOptions,
    ...rowOptions,
    ...outputOptions,
    ...configOptions,
  },
  examples: [
    ["check people.csv --mapping people.yaml", "show the problems by kind and column"],
    ["check people.csv --mapping people.yaml --problems problems.csv", "write every problem"],
    ["check people.csv --mapping people.yaml --baseline yesterday.csv", "what would be sent now"],
    ["check people.csv --mapping people.yaml --row 42", "show the requests of row 42"],
  ],
  async run(args, host) {
    const input = inputOf(args, host);
    const mapping = args.text("mapping");
    if (mapping === undefined) throw cannotStart("mapping_missing");
    const row = args.number("row");
    const { listProblems, showRow } = await import("../run-check.ts");
    return row === undefined
      ? listProblems(input, mapping, args, host)
      : showRow(row, input, mapping, args, host);
  },
};
