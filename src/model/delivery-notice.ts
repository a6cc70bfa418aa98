import type { PauseReason } from "./sending-state.ts";

/** What delivery tells while it works; for a log and for whoever watches. */
export type DeliveryNotice =
  | {
      readonly kind: "retry";
      readonly row: number;
      readonly event: number;
      /** Attempts made so far. */
      readonly attempts: number;
      readonly delayMs: number;
      readonly code: string;
      readonly message: string;
    }
  /** Everything is held back, until a probe may leave. */
  | {
      readonly kind: "pause";
      readonly reason: PauseReason;
      readonly durationMs: number;
      readonly message: string;
    }
  /** A probe was answered well: everything may go on. */
  | { readonly kind: "open"; readonly reason: PauseReason; readonly pausedMs: number }
  | { readonly kind: "token_renewed" };
