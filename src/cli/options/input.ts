import { cannotStart } from "../../model/errors.ts";
import type { Reading } from "../../model/reading.ts";
import type { Input } from "../../run/input.ts";
import type { Host } from "../host.ts";
import type { Arguments } from "./arguments.ts";

/**
 * The input of a command: a file, several, or standard input.
 *
 * @throws CannotStartError where standard input is one of several
 */
export function inputOf(args: Arguments, { stdin }: Host): Input {
  const given = args.list("input");
  const [first = "", second] = given;
  if (second === undefined) return first === "-" ? stdin : first;
  if (!given.includes("-")) return given;
  const why = "- is standard input, which is read alone; save it to a file to read it with others";
  throw cannotStart("option_invalid", "input", why);
}

/** How the input is to be read, as far as it was said. */
export function readingOf(args: Arguments): Reading {
  return asReading({
    encoding: args.text("encoding"),
    delimiter: args.text("delimiter"),
    quote: args.text("quote"),
    header: args.flag("no-header") ? false : undefined,
    skipLines: args.number("skip-lines"),
    maxRecordBytes: args.number("max-record-size"),
    // A size that holds for every input says nothing of the cells of this one.
    mayHoldRows: args.setting("max-record-size")?.origin === "command line" || undefined,
    sheet: args.text("sheet"),
  });
}

/**
 * The same for a results file. What the environment and the configuration file say is of inputs, and
 * eventload has written its results in a way of its own.
 */
export function resultsReadingOf(args: Arguments): Reading {
  const typed = (name: string) => args.setting(name)?.origin === "command line";
  return asReading({
    encoding: typed("encoding") ? args.text("encoding") : undefined,
    delimiter: typed("delimiter") ? args.text("delimiter") : undefined,
    quote: typed("quote") ? args.text("quote") : undefined,
    maxRecordBytes: args.number("max-record-size"),
    sheet: typed("sheet") ? args.text("sheet") : undefined,
  });
}

function asReading(
  given: { readonly [part in keyof Reading]: Reading[part] | undefined },
): Reading {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
