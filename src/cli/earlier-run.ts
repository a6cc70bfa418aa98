import { parseBaseUrl } from "../delivery/endpoint.ts";
import { CannotStartError } from "../domain/errors.ts";

/** The run that a command goes on from. */
export interface EarlierRun {
  readonly results: string;
  /** Where it went. */
  readonly baseUrl: string;
  /** By which name, if by one. */
  readonly target: string | undefined;
  /** Whether this command may go elsewhere where that is typed. */
  readonly mayGoElsewhere: boolean;
}

/** Whether two base URLs are the same service, however they are written. */
export function isSameService(one: string, other: string): boolean {
  return asRead(one) === asRead(other);
}

function asRead(baseUrl: string): string {
  try {
    return parseBaseUrl(baseUrl, true).baseUrl;
  } catch (error) {
    if (!(error instanceof CannotStartError)) throw error;
    return baseUrl;
  }
}
