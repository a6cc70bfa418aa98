/** How a run sends. A resume or a retry sends in the same way unless told otherwise. */
export interface SendingSettings {
  readonly concurrency: number;
  readonly ratePerSecond: number | null;
  readonly adaptive: boolean;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  /** As on the command line: `100` or `5%`. */
  readonly maxErrors: string | null;
  readonly maxOutageMs: number;
  readonly durability: "power" | "process";
}

/** A part of a run: one that was resumed has several. */
export interface RunPart {
  /** In ISO 8601. */
  readonly startedAt: string;
  readonly sending: SendingSettings;
}

/** Whether an event may reach the service twice, or perhaps not at all. */
export type DeliveryMode = "at-least-once" | "at-most-once";

/**
 * What a recorded intent survives: the end of the process, which costs a write, or a power cut, which costs a
 * write and a sync.
 */
export type Durability = "power" | "process";
