import { oneLine } from "../../model/escape-text.ts";
import type { PreviewedRequest } from "../../run/check/preview.ts";

/**
 * A request as a curl command for a POSIX shell, a line each. It sends the same bytes, and takes the token
 * from the environment.
 */
export function curlCommand({ url, headers, body }: PreviewedRequest): string[] {
  const others = Object.entries(headers).filter(([name]) => name !== "authorization");
  const isPlain = oneLine(body) === body && body.length <= maxArgumentChars;
  const options = [
    // curl takes brackets and braces in an address for a pattern.
    ...(/[[\]{}]/.test(url) ? ["--globoff"] : []),
    '--header "Authorization: Bearer $EVENTLOAD_TOKEN"',
    ...others.map(([name, value]) => `--header ${quoted(`${name}: ${value}`)}`),
    isPlain ? `--data-raw ${quoted(body)}` : "--data-binary @-",
  ];
  const input = isPlain ? "" : `printf '%b' ${quoted(escapedForPrintf(body))} | `;
  const lines = [`${input}curl --include ${quoted(url)}`, ...options.map((one) => `  ${one}`)];
  return lines.map((line, at) => (at < lines.length - 1 ? `${line} \\` : line));
}

/** Linux passes no argument of more than 128 KiB to a program. `printf` is part of the shell. */
const maxArgumentChars = 30_000;

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** What a terminal would not show as it is becomes the octal digits of its bytes. */
function escapedForPrintf(text: string): string {
  return Array.from(text, (character) => {
    if (character === "\\") return "\\\\";
    if (oneLine(character) === character) return character;
    const octal = (byte: number) => `\\0${byte.toString(8).padStart(3, "0")}`;
    return Array.from(Buffer.from(character), octal).join("");
  }).join("");
}
