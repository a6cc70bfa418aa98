import { cannotStart } from "../model/errors.ts";
import type { Input } from "../run/input.ts";
import type { Arguments } from "./arguments.ts";
import type { Host } from "./host.ts";

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
