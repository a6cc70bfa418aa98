import { type Clock, sleep } from "../../model/clock.ts";
import { CannotStartError } from "../../model/errors.ts";
import type { StopSignal } from "../../model/stop.ts";
import type { TokenSource } from "../../model/token-source.ts";
import type { Redact } from "./redact.ts";
import { readToken, type Token } from "./token.ts";

/** The token in use, and the way to a new one when the service takes it no longer. */
export interface RenewableToken extends Token {
  /** Which token it is, from 0. */
  readonly generation: number;
  /** Resolves when a renewal that is running is over; undefined if none is. */
  readonly renewing: Promise<unknown> | undefined;
  /** The service accepts the token of that generation. */
  accepted(generation: number): void;
  /** The service does not accept it: gets another one, once for all who ask. */
  renew(generation: number): Renewal | Promise<Renewal>;
}

export type Renewal =
  | { readonly kind: "renewed" }
  /** Why there is no other, as a sentence; blank where the token is a fixed one. */
  | { readonly kind: "no_other"; readonly why: string };

/** How long to wait before each look at a source that still gives the refused token: it may just be replaced. */
const lookAgainMs = [1000, 2000, 5000];

const fixed: Renewal = { kind: "no_other", why: "" };

/**
 * @param source where the first token came from, and the next ones are to come from
 * @param onRenewed called with each new token
 */
export function createRenewableToken(
  first: Token,
  source: TokenSource,
  { stop, clock }: { readonly stop: StopSignal; readonly clock: Clock },
  onRenewed: () => void,
): RenewableToken {
  let current = first;
  let redact: Redact = first.redact;
  let generation = 0;
  let lastAccepted = -1;
  let renewing: Promise<Renewal> | undefined;

  const getAnother = async (): Promise<Renewal> => {
    let found = await lookForAnother();
    for (const waitMs of lookAgainMs) {
      if (found.kind === "renewed" || stop.aborted) break;
      await sleep(clock, waitMs, stop);
      if (!stop.aborted) found = await lookForAnother();
    }
    return found;
  };

  const lookForAnother = async (): Promise<Renewal> => {
    try {
      const another = await readToken(source, stop);
      if (another.authorization === current.authorization) {
        return { kind: "no_other", why: `${placeOf(source)} still gives the same token.` };
      }
      const before = redact;
      // An answer to a request from before may still repeat the old one.
      redact = (text, isCut) => another.redact(before(text, isCut), isCut);
      current = another;
      generation++;
      onRenewed();
      return { kind: "renewed" };
    } catch (error) {
      if (error instanceof CannotStartError) return { kind: "no_other", why: error.message };
      // Its own words may repeat a secret.
      const what = error instanceof Error ? error.name : "an unknown error";
      return { kind: "no_other", why: `The token cannot be read again (${what}).` };
    }
  };

  return {
    get authorization() {
      return current.authorization;
    },
    redact: (text, isCut) => redact(text, isCut),
    get generation() {
      return generation;
    },
    get renewing() {
      return renewing;
    },
    accepted(accepted) {
      lastAccepted = Math.max(lastAccepted, accepted);
    },
    renew(refused) {
      if (refused < generation) return { kind: "renewed" };
      if (renewing !== undefined) return renewing;
      if (source.kind === "value") return fixed;
      if (generation > 0 && lastAccepted < generation) {
        return { kind: "no_other", why: "A new one was not accepted either." };
      }
      renewing = getAnother().finally(() => {
        renewing = undefined;
      });
      return renewing;
    },
  };
}

function placeOf(source: TokenSource): string {
  return source.kind === "file" ? source.path : "The token command";
}
