/**
 * One line for a person. Several addresses of one host that all fail come as one error without a
 * message of its own; an answer that undici had not thought of (a switch to another protocol that
 * nobody asked for) comes as a failed assertion, whose message is a piece of its source; OpenSSL puts
 * its reason between a file name and a number, and ends the line.
 */
export function messageOf(error: Error): string {
  if ((error as NodeJS.ErrnoException).code === "ERR_ASSERTION")
    return "the answer is not HTTP/1.1";
  const [, reason] = openSslLine.exec(error.message) ?? [];
  if (reason !== undefined) return reason;
  if (error.message !== "") return error.message;
  const errors = error instanceof AggregateError ? error.errors : [];
  return errors.map(String).join("; ") || error.name;
}

/** `800C443D4D7F0000:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:FILE:350:` */
const openSslLine = /error:[\dA-F]+:[^:]*:[^:]*:([^:\n]+):/i;
