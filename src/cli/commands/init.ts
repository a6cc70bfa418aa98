import { basename, dirname, relative, resolve, sep } from "node:path";
import { type Resource, resources } from "../../model/event.ts";
import { pathOfMappingSchema } from "../../model/package-files.ts";
import { count, grouped } from "../../model/quantities.ts";
import { mappingPathOf } from "../../model/run-files.ts";
import { fileWord, tellCommand } from "../../model/typed-command.ts";
import { flag, oneOf, pathEnding, pathOrStdout, text } from "../../model/value-types.ts";
import type { Look } from "../../run/check/init.ts";
import type { Command } from "../command.ts";
import { asTyped, exitStatus } from "../host.ts";
import { readingOf } from "../options/input.ts";
import { configOption, readingOptions } from "../options/option-list.ts";
import { typedMapping } from "../options/option-types.ts";
import { say, writeLine } from "../terminal/lines.ts";

const mappingToWrite = pathEnding("init writes", [".yaml", ".yml"], pathOrStdout);
const guessed = { default: "a guess" };

export const initCommand: Command = {
  usage: "init <input>",
  summary: "Write a first mapping file for an input: it matches columns and proposes types",
  positional: {
    name: "input",
    describe: "The CSV file or workbook, or - for standard input",
    takesStdin: true,
  },
  options: {
    ...readingOptions,
    output: typedMapping("The mapping file to write, or - for standard output", mappingToWrite, {
      short: "o",
      default: "the input's name with .yaml",
    }),
    resource: typedMapping("What the rows are", oneOf(resources.join("|"), ...resources), guessed),
    event: typedMapping("The kind of event that each row becomes", text("name"), guessed),
    "mask-samples": typedMapping("In comments, replace letters with x and digits with 9", flag),
    ...configOption,
  },
  examples: [
    ["init people.csv", "write people.yaml"],
    ["init people.csv --mask-samples", "show no personal data in comments"],
  ],
  async run(args, host) {
    const { lookAt, writeProposal } = await import("../../run/check/init.ts");
    const input = args.text("input") ?? "";
    const isStream = input === "-";
    const output = args.text("output") ?? (isStream ? "stdin.yaml" : mappingPathOf(input));
    const path = resolve(host.cwd, output);
    const toStdout = output === "-";
    const look = await lookAt({ input: isStream ? host.stdin : input }, readingOf(args), {
      resource: args.text("resource") as Resource | undefined, // it was read before
      event: args.text("event"),
    });
    for (const warning of look.warnings) say(host, `warning: ${warning}`);
    const proposal = look.propose({
      schema: schemaSeenFrom(toStdout ? host.cwd : dirname(path)),
      maskSamples: args.flag("mask-samples"),
    });
    if (toStdout) {
      host.stdout.write(proposal);
      return exitStatus.ok;
    }
    await writeProposal(path, proposal);
    const isUsual = !isStream && output === mappingPathOf(input);
    const named = isUsual ? [] : ["--mapping", fileWord(output)];
    // How the input is read stands in the mapping now.
    const file = [isStream ? "-" : fileWord(input), ...named];
    const check = tellCommand("eventload", "check", ...file);
    // The page reads its file more than once.
    const next = isStream
      ? `Review it, then pipe the rows again into: ${check}`
      : `Review it (in a browser: ${tellCommand("eventload", "map", ...file)}), then run: ${check}`;
    for (const line of describeLook(look, output)) say(host, line);
    writeLine(host.stderr, asTyped(next, host)); // not wrapped, so that it can be copied
    return exitStatus.ok;
  },
};

function describeLook(look: Look, output: string): string[] {
  const unsure = look.ambiguousDates.map((column) => JSON.stringify(column)).join(", ");
  const misfits = look.misfits
    .map(({ column, count }) => `${grouped(count)} in ${JSON.stringify(column)}`)
    .join(", ");
  const invalid = "Cells that do not fit the type of their column, so their rows are invalid";
  return [
    `${basename(output)} maps ${count(look.columns, "column")}. ${look.about[0] ?? ""}`,
    ...(look.isAnswered
      ? []
      : [
          `Whether these are ${look.resource}, and that the kind of event is ${JSON.stringify(look.event)}, are guesses: check them, or give --resource and --event.`,
        ]),
    ...(unsure === "" ? [] : [`Check the order of day and month in ${unsure}.`]),
    ...(misfits === "" ? [] : [`${invalid}: ${misfits}.`]),
  ];
}

/** The JSON Schema of mappings, of the eventload that runs, as seen from a folder. */
export function schemaSeenFrom(folder: string): string {
  const way = relative(folder, pathOfMappingSchema()).replaceAll(sep, "/");
  return way.startsWith("../") ? way : `./${way}`;
}
