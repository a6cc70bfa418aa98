import type { StopReason } from "../model/stop.ts";

/**
 * Counts consecutive refusals that are about the address or about rights, and not about the event: after ten of
 * them, the service refuses the whole run.
 */
export interface ConsecutiveRefusals {
  succeeded(): void;
  /** @returns why the run stops, if there have been too many */
  refused(httpStatus: number, message: string): StopReason | undefined;
}

const maxRefusals = 10;

export function createConsecutiveRefusals(url: string): ConsecutiveRefusals {
  let inARow = 0;
  return {
    succeeded() {
      inARow = 0;
    },
    refused(httpStatus, message) {
      if (!concernsEveryEvent(httpStatus)) return undefined;
      inARow++;
      if (inARow < maxRefusals) return undefined;
      const said = `${maxRefusals} events were refused with no success between, the last with ${httpStatus} from ${url} (${message})`;
      switch (httpStatus) {
        case 403:
          return { code: "forbidden", message: `${said}: the token may not write there any more.` };
        case 404:
          return { code: "not_found", message: `${said}: check that the service is still there.` };
        case 405:
          return {
            code: "method_not_allowed",
            message: `${said}: check that the address takes events.`,
          };
        default:
          return {
            code: "redirected",
            message: `${said}: redirects are never followed; check the address.`,
          };
      }
    },
  };
}

/** Statuses that stop the run at once if they answer the first event. */
function concernsEveryEvent(httpStatus: number): boolean {
  return [403, 404, 405].includes(httpStatus) || (httpStatus >= 300 && httpStatus < 400);
}
