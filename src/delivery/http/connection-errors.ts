import { maxHeaderSize } from "node:http";
import type { StopReason } from "../../model/stop.ts";

/** undici's code for an answer whose headers are too long. */
export const headersTooLong = "UND_ERR_HEADERS_OVERFLOW";

/**
 * The message of an error, for a person, on one line. If all addresses of a host fail, the error has no message of its
 * own. If undici does not expect an answer (a switch of protocols that nobody asked for), the error is a failed
 * assertion, whose message is a piece of its source. OpenSSL puts the reason between a file name and a number.
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

/**
 * Why the run stops if its first event was never answered, and what to do.
 *
 * @param code of its last attempt
 * @param mayHaveLeft whether a request may have been sent: then the run has files, which keep this address
 */
export function unreachable(
  origin: string,
  code: string,
  message: string,
  mayHaveLeft: boolean,
): StopReason {
  if (code === headersTooLong) {
    const sentence = `The answer from ${origin} cannot be read (${message}).`;
    return { code: "unreachable", message: sentence };
  }
  const sentences = [
    `No answer from ${origin} (${message}): check the address, and that the service is up.`,
  ];
  if (mayHaveLeft && origin.startsWith("http:") && noHttp.test(code)) {
    sentences.push("Does it speak https? Then the address begins with https://.");
  }
  if (mayHaveLeft) {
    sentences.push(
      "A run keeps its address: if it is wrong, start another run with the right one and other --results, or move the files of this one away first.",
    );
  }
  return { code: "unreachable", message: sentences.join(" ") };
}

/** The connection ended at the request, or the answer is not HTTP. */
const noHttp = /^(?:HPE_|(?:HTTPParserError|ECONNRESET|EPIPE|ERR_ASSERTION|UND_ERR_SOCKET)$)/;

/** Codes of OpenSSL and Node for a certificate of an unknown authority. */
const unknownAuthority = /^SELF_SIGNED_CERT_IN_CHAIN$|^UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)/;

/** Why there is no secure connection, and what to do. */
export function noSecureConnection(url: string, code: string, message: string): StopReason {
  const { host } = new URL(url);
  const sentence = `No secure connection to ${host}: ${message.replace(/\.$/, "")}${fixOf(code, message)}.`;
  return { code: "unreachable", message: sentence };
}

function fixOf(code: string, message: string): string {
  if (noTls.test(message)) {
    return "; that port seems to speak plain http: give http:// in place of https://, or the right port";
  }
  if (code === "DEPTH_ZERO_SELF_SIGNED_CERT") {
    return "; if it is yours, give that certificate with --ca-file FILE";
  }
  if (unknownAuthority.test(code)) {
    return "; if the authority is your own, give its certificate with --ca-file FILE";
  }
  if (code === "CERT_HAS_EXPIRED") return "; the service needs a new one";
  return code === "ERR_TLS_CERT_ALTNAME_INVALID" ? "; check the base URL" : "";
}

const noTls = /wrong version number|packet length too long|http request/;

/** Whether the peer cannot be trusted or does not speak TLS, by OpenSSL's and Node's codes. */
export function isTlsError(code: string): boolean {
  return (
    /^ERR_(SSL|TLS)_/.test(code) ||
    /CERT|SIGNATURE|ISSUER|CRL/.test(code) ||
    code === "EPROTO" ||
    code === "HOSTNAME_MISMATCH"
  );
}
