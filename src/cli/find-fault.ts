import { parseBaseUrl } from "../model/endpoint.ts";
import { CannotStartError } from "../model/errors.ts";
import { whyNoName, whyNotFilled } from "../model/results-name.ts";
import { isUsableHeaderName } from "../run/check-options.ts";

/**
 * What is wrong with the value of an option that only those commands look at which need it: a
 * configuration file is for all of them, and told of everything at once.
 *
 * @returns how the sentence goes on after the name of the option
 */
export function findFault(option: string, value: string): string | undefined {
  const why = finders[option]?.(value);
  return why === undefined ? undefined : `: ${why}`;
}

const finders: Readonly<Record<string, (value: string) => string | undefined>> = {
  "base-url": whyNoBaseUrl,
  "idempotency-header": whyNoHeader,
  // Whether there is a target may be said elsewhere.
  results: (name) => whyNoName(name, true),
  report: (name) => whyNotFilled(name, true),
  "log-file": (name) => whyNotFilled(name, true),
};

/** Whether plain http is allowed may be said elsewhere as well. */
function whyNoBaseUrl(url: string): string | undefined {
  try {
    parseBaseUrl(url, true);
    return undefined;
  } catch (error) {
    if (error instanceof CannotStartError) return error.message.replace(/\.$/, "");
    throw error;
  }
}

/** What keeps a name from being that of the header for event ids. */
export function whyNoHeader(name: string): string | undefined {
  if (isUsableHeaderName(name)) return undefined;
  return `"${name}" cannot be used; give a name such as Idempotency-Key`;
}
