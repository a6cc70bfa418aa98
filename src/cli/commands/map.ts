import { dirname, resolve } from "node:path";
import { exists } from "../../model/disk/exists.ts";
import { cannotStart } from "../../model/errors.ts";
import { mappingPathOf } from "../../model/run-files.ts";
import {
  type CommandWords,
  fileWord,
  tellCommand,
  typedCommand,
} from "../../model/typed-command.ts";
import type { NextSteps } from "../../page/contract.ts";
import type { Command } from "../command.ts";
import { asTyped, exitStatus, firstInterrupt, type Host } from "../host.ts";
import type { Arguments } from "../options/arguments.ts";
import { mappingOf, readingOf } from "../options/input.ts";
import { typedOptions } from "../options/next-commands.ts";
import { configOption, mappingOptions, readingOptions } from "../options/option-list.ts";
import { say } from "../terminal/lines.ts";
import { schemaSeenFrom } from "./init.ts";

export const mapCommand: Command = {
  usage: "map <input>",
  summary: "Edit the mapping of an input in a browser, beside its rows; stop it with Ctrl-C",
  positional: { name: "input", describe: "The CSV file or workbook" },
  options: {
    ...mappingOptions,
    ...readingOptions,
    ...configOption,
  },
  examples: [
    ["map people.csv", "write people.yaml if there is none, and print the address of the page"],
    ["map people.xlsx --mapping crm.yaml", "edit another mapping"],
  ],
  async run(args, host) {
    const input = args.text("input") ?? "";
    const { lookAt, writeProposal } = await import("../../run/check/init.ts");
    const { readMapping } = await import("../../run/prepare/read-mapping.ts");
    const { openMappingDocument } = await import("../../page/mapping-document.ts");
    const { startPage } = await import("../../page/start-page.ts");
    const reading = readingOf(args);
    const mapping = (await mappingOf(args, input)) ?? mappingPathOf(input);
    if (!/\.ya?ml$/i.test(mapping)) {
      const why = `${mapping} is not a .yaml file, which the page edits`;
      throw cannotStart("option_invalid", "--mapping", why);
    }
    const path = resolve(host.cwd, mapping);
    const isNew = !(await exists(path));
    // What is wrong with a mapping is shown on the page.
    const ofMapping = isNew
      ? undefined
      : await readMapping(path, async () => undefined).catch(() => undefined);
    const look = await lookAt({ input }, reading, {}, ofMapping?.reading);
    for (const warning of look.warnings) say(host, `warning: ${warning}`);
    const schema = schemaSeenFrom(dirname(path));
    const proposal = look.propose({ schema, maskSamples: false });
    if (isNew) {
      await writeProposal(path, proposal);
      say(host, `Wrote ${mapping}, as eventload init does.`);
    }
    const document = await openMappingDocument(path, input, reading);
    const next = nextCommandsFor(input, mapping, isNew, args, host);

    const { interrupted, stopListening } = firstInterrupt(host);
    try {
      const page = await startPage(look, proposal, document, next);
      say(host, "The page is at the address below, on this machine only. Ctrl-C ends it.");
      host.stdout.write(`${page.url}\n`);
      await interrupted;
      page.stop();
      return exitStatus.ok;
    } finally {
      stopListening();
    }
  },
};

/** What to type after the page, with the options that were typed and that the mapping does not keep. */
function nextCommandsFor(
  input: string,
  mapping: string,
  isNew: boolean,
  args: Arguments,
  host: Host,
): NextSteps {
  // A mapping that was just written says how its input is read.
  const typed = typedOptions(args, [...(isNew ? [] : Object.keys(readingOptions)), "config"]);
  const named = mapping === mappingPathOf(input) ? [] : ["--mapping", fileWord(mapping)];
  const file = ["eventload", "import", fileWord(input), ...named, ...typed];
  const sandbox = "http://127.0.0.1:8080";
  // Results are never overwritten, and a trial is run more than once.
  const name = `${mappingPathOf(input).replace(/\.yaml$/, "")}.trial.{date}.{time}.results.csv`;
  const trial = ["--limit", "10", "--base-url", sandbox, "--token-command", "echo any"];
  const isKnown = args.given("base-url") !== undefined;
  const address = isKnown ? [] : ["--base-url", "https://crm.example.com"];
  const inPlace = isKnown ? "" : " and your service's address in place of https://crm.example.com";
  const next: [string, CommandWords][] = [
    ["Start the sandbox in another terminal:", ["eventload", "sandbox", "--port", "8080"]],
    ["Send ten rows to it:", [...file, ...trial, "--results", fileWord(name)]],
    [`Import the file, with the token in EVENTLOAD_TOKEN${inPlace}:`, [...file, ...address]],
  ];
  return next.map(([what, words]) => {
    const told = asTyped(tellCommand(...words), host);
    return typedCommand(words) === null ? { what: `${what} ${told}` } : { what, command: told };
  });
}
