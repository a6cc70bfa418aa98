import { cannotStart } from "../../model/errors.ts";
import { baseOfRun } from "../../model/run-files.ts";
import type { Input } from "../../run/options/input.ts";
import type { Command } from "../command.ts";
import type { Host } from "../host.ts";
import { stateFolder } from "../options/earlier-run.ts";
import { inputOf, mappingMissing, mappingOf } from "../options/input.ts";
import {
  baseUrlToCheck,
  checkOptions,
  configOptions,
  mappingOptions,
  outputOptions,
  readingOptions,
  rowOptions,
  serviceOptions,
  shardOption,
  stateOptions,
} from "../options/option-list.ts";

export const checkCommand: Command = {
  usage: "check <input..>",
  summary: "Map every row and report every problem, without sending",
  positional: {
    name: "input",
    describe: "The CSV file or workbook (or several), a results file, or - for standard input",
    isList: true,
  },
  options: {
    ...mappingOptions,
    ...readingOptions,
    ...serviceOptions,
    ...baseUrlToCheck,
    ...rowOptions,
    ...shardOption,
    ...stateOptions,
    ...checkOptions,
    ...outputOptions,
    ...configOptions,
  },
  examples: [
    ["check people.csv", "use the mapping people.yaml beside the input"],
    ["check people.csv -m crm.yaml --problems problems.csv", "write every problem to a file"],
    ["check people.csv --state people.state.jsonl", "show what a night would send"],
    ["check people.csv --row 42", "show the requests of row 42"],
    [
      "check people.csv --row 42 --curl --base-url https://example.com",
      "print them as curl commands",
    ],
  ],
  async run(args, host) {
    const input = inputOf(args, host);
    const mapping = (await mappingOf(args, input)) ?? (await mappingOfRun(input, host));
    if (mapping === undefined) throw await mappingMissing(input);
    const row = args.number("row");
    const { listProblems, showRow } = await import("../run-check.ts");
    return row === undefined
      ? listProblems(input, mapping, args, host)
      : showRow(row, input, mapping, args, host);
  },
};

/**
 * The mapping of the run of a results file, as a retry finds it.
 *
 * @returns undefined if the input is no results file
 * @throws CannotStartError if the run does not say, or cannot be trusted
 */
async function mappingOfRun(input: Input, { env }: Host): Promise<string | undefined> {
  if (typeof input !== "string") return undefined;
  const { isResultsFile } = await import("../../run/prepare/open-rows.ts");
  if (!(await isResultsFile(input))) return undefined;
  const { readEarlierManifest, refuseUnsealed } = await import("../../run/options/unsealed.ts");
  const path = `${baseOfRun(input)}.run.json`;
  const read = await readEarlierManifest(path, stateFolder(env));
  switch (read.kind) {
    case "sealed":
      return read.manifest.mapping.path;
    case "unsealed":
      // One that others may have written may name a module of theirs.
      throw refuseUnsealed(path, read.why, { ...read.manifest, baseUrl: read.manifest.base_url });
    case "absent":
      throw cannotStart("account_elsewhere", input);
    case "unreadable":
      throw cannotStart("manifest_unreadable", path, read.message);
  }
}
