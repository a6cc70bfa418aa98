/**
 * What a sandbox has done so far. While no request is in flight, `requests` is the sum of `accepted`,
 * `refused`, `throttled`, `failed`, `resets.beforeAccepting` and `brokenOff`.
 */
export interface SandboxCounts {
  requests: number;
  accepted: Record<"users" | "contacts", number>;
  /** Accepted requests with the same endpoint and body as an earlier one, byte for byte. */
  repeats: number;
  /** Invalid requests, by status. */
  refused: Record<string, number>;
  /** Answered 429. */
  throttled: number;
  /** Valid requests that failed on purpose, by status. */
  failed: Record<string, number>;
  /** Connections reset on purpose; those after accepting also count as `accepted`. */
  resets: { beforeAccepting: number; afterAccepting: number };
  /** The client disconnected before it had sent the whole body. */
  brokenOff: number;
}

export function emptyCounts(): SandboxCounts {
  return {
    requests: 0,
    accepted: { users: 0, contacts: 0 },
    repeats: 0,
    refused: {},
    throttled: 0,
    failed: {},
    resets: { beforeAccepting: 0, afterAccepting: 0 },
    brokenOff: 0,
  };
}

/** The counts as lines for people. Zeros are left out, except for requests and accepted. */
export function describeCounts(counts: SandboxCounts): string[] {
  const { accepted, resets } = counts;
  const acceptedTotal = accepted.users + accepted.contacts;
  const resetTotal = resets.beforeAccepting + resets.afterAccepting;

  const lines = [
    `requests: ${grouped(counts.requests)}`,
    `accepted: ${grouped(acceptedTotal)}` +
      (acceptedTotal === 0
        ? ""
        : ` (users ${grouped(accepted.users)}, contacts ${grouped(accepted.contacts)})`),
  ];
  if (counts.repeats > 0) {
    lines.push(`accepted again: ${grouped(counts.repeats)} with the same body as an earlier one`);
  }
  if (total(counts.refused) > 0) lines.push(`refused: ${byStatus(counts.refused)}`);
  if (counts.throttled > 0) lines.push(`throttled: ${grouped(counts.throttled)} (429)`);
  if (total(counts.failed) > 0) lines.push(`failed on purpose: ${byStatus(counts.failed)}`);
  if (resetTotal > 0) {
    lines.push(
      `reset on purpose: ${grouped(resetTotal)} (before accepting ` +
        `${grouped(resets.beforeAccepting)}, after ${grouped(resets.afterAccepting)})`,
    );
  }
  if (counts.brokenOff > 0) {
    lines.push(`aborted by the client: ${grouped(counts.brokenOff)}`);
  }
  return lines;
}

function byStatus(counts: Record<string, number>): string {
  const parts = Object.entries(counts).map(([status, count]) => `${status}: ${grouped(count)}`);
  return `${grouped(total(counts))} (${parts.join(", ")})`;
}

function total(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
