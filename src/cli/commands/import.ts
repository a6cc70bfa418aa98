import { basename } from "node:path";
import { systemClock } from "../../model/clock.ts";
import { cannotStart } from "../../model/errors.ts";
import { defaultResultsPath } from "../../model/run-files.ts";
import { isStream } from "../../run/input.ts";
import type { Command } from "../command.ts";
import { baselineOf, importResultsOf } from "../options/file-names.ts";
import { baselineFiles, mappingFiles, outputsOf } from "../options/guard-outputs.ts";
import { inputOf, readingOf } from "../options/input.ts";
import {
  baselineOption,
  mappingOptions,
  readingOptions,
  resumeFlag,
  sendOptions,
} from "../options/option-list.ts";
import type { RunToStart } from "../run-command.ts";

export const importCommand: Command = {
  usage: "import <input..>",
  isRun: true,
  summary: "Check every row, then send its events",
  positional: {
    name: "input",
    describe: "The CSV file or workbook, several with the same columns, or - for standard input",
    isList: true,
  },
  options: {
    ...mappingOptions,
    ...readingOptions,
    baseline: baselineOption,
    ...sendOptions,
    resume: resumeFlag,
  },
  examples: [
    ["import people.csv --mapping people.yaml --base-url https://example.com", "import a file"],
    [
      "import people.csv --mapping people.yaml --base-url https://example.com --rate 50/s",
      "with 50 requests a second at most",
    ],
    [
      "import people.csv --mapping people.yaml --base-url https://example.com --limit 10",
      "try the first ten rows",
    ],
    [
      "import north.csv south.csv --mapping people.yaml --base-url https://example.com",
      "several files as one run",
    ],
    [
      "import people.csv --target staging",
      "to one of the targets in eventload.yaml, which names the mapping as well",
    ],
    [
      "import people.csv --mapping people.yaml --base-url https://example.com --results today.csv --baseline yesterday.csv",
      "only what has changed since yesterday",
    ],
    [
      'import people.csv --mapping people.yaml --base-url https://example.com --results "out/{input}.{date}.results.csv" --baseline "out/{input}.*.results.csv" --resume',
      "for cron: dated results, only what has changed since the last time, and a run that stopped is resumed",
    ],
  ],
  async run(args, host, observers = {}) {
    const input = inputOf(args, host);
    const mapping = args.text("mapping");
    const baseUrl = args.text("base-url");
    if (mapping === undefined) throw cannotStart("mapping_missing");
    if (baseUrl === undefined) throw cannotStart("base_url_missing");
    const paths = isStream(input) ? [] : [input].flat();
    const resume = args.flag("resume") ? "if-unfinished" : "never";
    const { results, dated } = await importResultsOf(args, paths, host, systemClock);
    const baseline = await baselineOf(args, host, {
      input: paths[0] ?? "stdin",
      results: results ?? defaultResultsPath(paths[0] ?? "stdin"),
    });
    const { runImport } = await import("../../run/import.ts");
    const run: RunToStart = {
      called: {
        command: "import",
        input: paths.map((path) => basename(path)).join(", ") || "stdin",
      },
      baseUrl,
      dated,
      canResume: paths.length > 0,
      filesInUse: async () => [
        ...paths.map((path) => ({ what: "the input", path })),
        ...(await mappingFiles(mapping)),
        ...baselineFiles(baseline),
        ...outputsOf(results ?? defaultResultsPath(paths[0] ?? "stdin")),
      ],
      start: (common) =>
        runImport({
          ...{ ...common, input, mapping, baseUrl, baseline, resume, reading: readingOf(args) },
          ...(results === undefined ? {} : { results }),
        }),
    };
    const { runCommand } = await import("../run-command.ts");
    return runCommand(args, host, run, observers);
  },
};
