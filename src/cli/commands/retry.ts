import { basename } from "node:path";
import { isSameService, withoutSecrets } from "../../model/endpoint.ts";
import { flag, path } from "../../model/value-types.ts";
import { defined } from "../../run/options/import-settings.ts";
import type { Command } from "../command.ts";
import { stateFolder, typedWhere } from "../options/earlier-run.ts";
import { resultsReadingOf } from "../options/input.ts";
import { asBefore, keptOf, resultsReadingOptions, sendOptions } from "../options/option-list.ts";
import { typedRows } from "../options/option-types.ts";
import type { RunToStart } from "../run-command.ts";
import { say } from "../terminal/lines.ts";

export const retryCommand: Command = {
  usage: "retry <file>",
  isRun: true,
  summary: "Send again the rows of an import that did not succeed",
  positional: { name: "file", describe: "Failed rows, as they are or fixed, or the results" },
  options: {
    ...resultsReadingOptions,
    ...keptOf(sendOptions),
    ...asBefore,
    results: typedRows(
      "The results that the rows belong to, if the file was renamed or moved",
      path,
      {
        short: "o",
        default: "beside the file, by its name",
      },
    ),
    "restore-altered": typedRows(
      "Put back cells that a spreadsheet program seems to have altered, and keep all other changes",
      flag,
      { conflicts: ["allow-altered"] },
    ),
    "allow-altered": typedRows("Send cells that a spreadsheet program seems to have altered"),
  },
  examples: [
    ["retry out/people.failed.csv", "send the failed rows again, after fixing them"],
    ["retry out/people.results.csv", "send all that did not succeed, with their original cells"],
    ["retry fixed.csv --results out/people.results.csv", "a file that was renamed or moved"],
  ],
  async findEarlier(given, env) {
    // Whoever types an address has chosen where the rows go.
    if (given.has("base-url")) return undefined;
    const named = given.get("results");
    const path = named?.origin === "command line" ? named.value : (given.get("file")?.value ?? "");
    const { readAccount } = await import("../../run/account/read-account.ts");
    const { readSealedManifest } = await import("../../run/send/seal.ts");
    const { files } = await readAccount(path);
    const manifest = await readSealedManifest(files.manifest, stateFolder(env));
    if (manifest === undefined) return undefined;
    const { base_url: baseUrl, mapping, target } = manifest;
    return { results: files.results, baseUrl, mapping: mapping.path, target };
  },
  async run(args, host, observers = {}) {
    const input = args.text("file") ?? "";
    const { accountToRetry, runRetry } = await import("../../run/account/retry.ts");
    const { refuseUnsealed } = await import("../../run/send/seal.ts");
    // The configuration file only speaks about imports.
    const setting = args.given("results");
    const named = setting?.origin === "command line" ? setting.value : undefined;
    const account = await accountToRetry(input, named, stateFolder(host.env));
    const { files, manifest } = account;
    const { results } = files;
    const isKnown = account.unsealed === undefined;
    const { baseUrl, mapping } = typedWhere(args);
    refuseUnsealed(files.manifest, account.unsealed, manifest, { baseUrl, mapping });
    if (isKnown && baseUrl !== undefined && !isSameService(baseUrl, manifest.base_url)) {
      const now = withoutSecrets(baseUrl);
      say(host, `warning: that run went to ${manifest.base_url}, and this goes to ${now}.`);
    }
    const run: RunToStart = {
      called: { command: "retry", input: basename(input) },
      baseUrl: baseUrl ?? manifest.base_url,
      mappingToSay: mapping ?? manifest.mapping.path,
      results,
      keeps: isKnown ? "all" : "sending",
      before: manifest.options,
      start: (common) =>
        runRetry({
          ...common,
          input,
          results,
          reading: resultsReadingOf(args),
          allowAltered: args.flag("allow-altered"),
          restoreAltered: args.flag("restore-altered"),
          ...defined({ mapping, baseUrl }),
        }),
    };
    const { runCommand } = await import("../run-command.ts");
    return runCommand(args, host, run, observers);
  },
};
