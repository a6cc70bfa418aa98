import { type Clock, sleep } from "../../model/clock.ts";
import { CannotStartError } from "../../model/errors.ts";
import type { StopSignal } from "../../model/stop.ts";
import type { TokenSource } from "../../model/token-source.ts";
import { readToken, type Token } from "./token.ts";

export type RenewableToken = ReturnType<typeof createRenewableToken>;

export type Renewal =
  | { readonly kind: "renewed" }
  /** Why there is no other, as a sentence; blank if the token is a fixed one. */
  | { readonly kind: "no_other"; readonly why: string };

/** If the source still gives the refused token, it is read again after each of these: it may be about to change. */
const readAgainMs = [1000, 2000, 5000];

/**
 * The token in use, which is read again when the service no longer accepts it.
 *
 * @param source where the first token came from, and where the next ones come from
 */
export function createRenewableToken(
  first: Token,
  source: TokenSource,
  { stop, clock }: { readonly stop: StopSignal; readonly clock: Clock },
  onRenewed: () => void,
) {
  let current = first;
  let { redact } = first;
  let generation = 0;
  let renewing: Promise<Renewal> | undefined;

  const getAnother = async (): Promise<Renewal> => {
    let found = await readAnother();
    for (const waitMs of readAgainMs) {
      if (found.kind === "renewed" || stop.aborted) break;
      await sleep(clock, waitMs, stop);
      if (!stop.aborted) found = await readAnother();
    }
    return found;
  };

  const readAnother = async (): Promise<Renewal> => {
    try {
      const another = await readToken(source, stop);
      if (another.authorization === current.authorization) {
        const place = source.kind === "file" ? source.path : "The token command";
        return { kind: "no_other", why: `${place} still gives the same token.` };
      }
      const before = redact;
      // An answer to an earlier request may still repeat the old token.
      redact = (text, isCut) => another.redact(before(text, isCut), isCut);
      current = another;
      generation++;
      onRenewed();
      return { kind: "renewed" };
    } catch (error) {
      if (error instanceof CannotStartError) return { kind: "no_other", why: error.message };
      // The error message may repeat a secret.
      const what = error instanceof Error ? error.name : "an unknown error";
      return { kind: "no_other", why: `The token cannot be read again (${what}).` };
    }
  };

  return {
    get authorization() {
      return current.authorization;
    },
    redact: (text: string, isCut?: boolean) => redact(text, isCut),
    /** The number of the token in use, from 0. */
    get generation() {
      return generation;
    },
    /** Resolves when the current renewal is over; undefined if there is none. */
    get renewing() {
      return renewing;
    },
    /** The service does not accept that token: reads another one, once for all events. */
    renew(refused: number): Renewal | Promise<Renewal> {
      if (refused < generation) return { kind: "renewed" };
      if (renewing !== undefined) return renewing;
      if (source.kind === "value") return { kind: "no_other", why: "" };
      renewing = getAnother().finally(() => {
        renewing = undefined;
      });
      return renewing;
    },
  };
}
