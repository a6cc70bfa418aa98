import { basename } from "node:path";
import { flag } from "../../model/value-types.ts";
import { defined } from "../../run/options/import-settings.ts";
import type { Command } from "../command.ts";
import type { Host } from "../host.ts";
import type { Arguments } from "../options/arguments.ts";
import { stateFolder, typedWhere } from "../options/earlier-run.ts";
import {
  asBefore,
  configOptions,
  keptOf,
  outputOptions,
  runOptions,
} from "../options/option-list.ts";
import { typedRows } from "../options/option-types.ts";
import type { RunToStart } from "../run-command.ts";
import { say } from "../terminal/lines.ts";

export const resumeCommand: Command = {
  usage: "resume <file>",
  isRun: true,
  summary: "Continue a run that stopped early or was killed",
  positional: { name: "file", describe: "The results file of the run" },
  // The rest stands in its journal. Mapping and address are not known from one that somebody else may have written.
  options: {
    close: typedRows("Send nothing more: complete the account with what is on record", flag),
    ...asBefore,
    ...keptOf(runOptions),
    ...outputOptions,
    ...configOptions,
  },
  examples: [
    ["resume out/people.results.csv", "continue with the input, mapping and address of the run"],
    ["resume out/people.results.csv --concurrency 4", "the same with fewer requests in flight"],
    ["resume out/people.results.csv --close", "the input is lost: complete the account"],
  ],
  async findEarlier(given, env) {
    const { readBegun } = await import("../../run/account/read-account.ts");
    const { files, run } = await readBegun(given.get("file")?.value ?? "");
    if (run === undefined) return undefined;
    const { whyNotSealed } = await import("../../run/send/seal.ts");
    if ((await whyNotSealed(files.journal, run, stateFolder(env))) !== undefined) return undefined;
    const { base_url: baseUrl, mapping, target } = run.imported;
    return { results: files.results, baseUrl, mapping: mapping.path, target };
  },
  async run(args, host, observers = {}) {
    const given = args.text("file") ?? "";
    if (args.flag("close")) return close(given, args, host);
    const { readAccount, readBegun } = await import("../../run/account/read-account.ts");
    const { files, run: known } = await readBegun(given);
    const { results, journal } = files;
    const { baseUrl, mapping } = typedWhere(args);
    if (known !== undefined && args.earlier === undefined) {
      const { refuseUnsealed, whyNotSealed } = await import("../../run/send/seal.ts");
      const why = await whyNotSealed(journal, known, stateFolder(host.env));
      const account = why === undefined ? undefined : await readAccount(given);
      // Where every row has its outcome, nothing goes anywhere.
      const isOver = account?.kind === "unfinished" && account.part.record.end !== undefined;
      if (!isOver) refuseUnsealed(journal, why, known.imported, { baseUrl, mapping });
    }
    const sending = known?.parts.at(-1)?.sending;
    const before = sending && { ...known?.imported.options, ...sending };
    const { runResume } = await import("../../run/account/resume.ts");
    const run: RunToStart = {
      called: { command: "resume", input: basename(results) },
      baseUrl: baseUrl ?? args.earlier?.baseUrl,
      mappingToSay: mapping ?? args.earlier?.mapping,
      results,
      keeps: args.earlier === undefined ? "sending" : "all",
      ...defined({ before }),
      start: (common) => runResume({ ...common, results, ...defined({ baseUrl, mapping }) }),
    };
    const { runCommand } = await import("../run-command.ts");
    return runCommand(args, host, run, observers);
  },
};

async function close(results: string, args: Arguments, host: Host): Promise<number> {
  const { closeAccount } = await import("../../run/account/resume.ts");
  const summary = await closeAccount({
    results,
    stateFolder: stateFolder(host.env),
    onWarning: (message) => say(host, `warning: ${message}`),
  });
  const { endWithAccount } = await import("../run-command.ts");
  return endWithAccount(summary, args, host);
}
