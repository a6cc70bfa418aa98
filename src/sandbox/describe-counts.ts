import type { SandboxCounts } from "./sandbox-counts.ts";

/** The counts in lines for people; what did not happen is left out, save requests and accepted. */
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
    lines.push(`broken off by the client: ${grouped(counts.brokenOff)}`);
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
