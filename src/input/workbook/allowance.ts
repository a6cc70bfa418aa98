import { XmlError } from "./parse-xml.ts";

const mostChars = 16 * 1024 * 1024;
/** What keeping something takes beside its characters. */
const charsEach = 128;

/**
 * Bounds what is kept of the styles, sheets and parts that a workbook names: there may be millions of them in
 * a few kilobytes.
 *
 * @returns a function that is told the characters of each, and throws XmlError where they are too many
 */
export function createAllowance(): (chars: number) => void {
  let left = mostChars;
  return (chars) => {
    left -= chars + charsEach;
    if (left < 0) throw new XmlError("it names more styles or parts than any workbook has");
  };
}
