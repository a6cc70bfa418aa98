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
  | { readonly kind: "pause"; readonly durationMs: number; readonly message: string };
