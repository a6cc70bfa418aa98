import { createHash } from "node:crypto";
import type { Resource, SandboxCounts } from "./sandbox-options.ts";

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

/**
 * Creates a function that says whether the same bytes were already sent to the same resource. It
 * remembers the last `generationSize` different bodies at least and twice as many at most, so a
 * sandbox that is left running does not grow.
 */
export function createRepeatCheck(
  generationSize = 500_000,
): (resource: Resource, body: Buffer) => boolean {
  let young = new Set<number>();
  let old = new Set<number>();

  return (resource, body) => {
    const key = digest48(resource, body);
    if (young.has(key) || old.has(key)) return true;
    young.add(key);
    if (young.size === generationSize) {
      old = young;
      young = new Set();
    }
    return false;
  };
}

// 48 bits fit in a number, and make one false repeat unlikely among the million kept.
function digest48(resource: Resource, body: Buffer): number {
  return createHash("sha1").update(resource).update(body).digest().readUIntBE(0, 6);
}
