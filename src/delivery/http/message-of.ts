import { maxHeaderSize } from "node:http";

/** undici's code for an answer whose headers are longer than it takes. */
export const headersTooLong = "UND_ERR_HEADERS_OVERFLOW";

/**
 * One line for a person. Several addresses of one host that all fail come as one error without a
 * message of its own; an answer that undici had not thought of (a switch to another protocol that
 * nobody asked for) comes as a failed assertion, whose message is a piece of its source; OpenSSL puts
 * its reason between a file name and a number, and ends the line.
 */
export function messageOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ERR_ASSERTION") return "the answer is not HTTP/1.1";
  if (code === headersTooLong) {
    const longer = `NODE_OPTIONS=--max-http-header-size=${4 * maxHeaderSize} takes longer ones`;
    return `its headers are longer than ${maxHeaderSize / 1024} KiB; ${longer}`;
  }
  const [, reason] = openSslLine.exec(error.message) ?? [];
  if (reason !== undefined) return reason;
  if (error.message !== "") return error.message;
  const errors = error instanceof AggregateError ? error.errors : [];
  return errors.map(String).join("; ") || error.name;
}

/** `800C443D4D7F0000:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:FILE:350:` */
const openSslLine = /error:[\dA-F]+:[^:]*:[^:]*:([^:\n]+):/i;
