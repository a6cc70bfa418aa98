import { oneLine } from "../model/one-line.ts";
import type { OutputStream } from "./host.ts";

/**
 * Writes one line, for a person or of JSON: names and texts of others in it cannot begin another one, nor do
 * anything to a terminal.
 */
export function writeLine(stream: Pick<OutputStream, "write">, line: string): void {
  stream.write(`${oneLine(line)}\n`);
}
