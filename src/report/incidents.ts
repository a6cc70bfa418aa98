import { messageTemplate } from "../model/groups.ts";
import { duration, grouped } from "../model/quantities.ts";
import type { Pause, RunFigures } from "../model/run-figures.ts";

export type Incident = ReturnType<typeof incidentsOf>[number];

/** Stretches of time in which nothing but probes was sent, the earliest first; several that are alike are one. */
export function incidentsOf(figures: RunFigures | undefined) {
  if (figures === undefined) return [];
  const alike = new Map<string, Pause[]>();
  const inOrder = figures.pauses.longest.toSorted((one, other) => one.at_ms - other.at_ms);
  for (const pause of inOrder) {
    const key = `${pause.reason} ${messageTemplate(pause.message)}`;
    alike.set(key, [...(alike.get(key) ?? []), pause]);
  }
  return [...alike.values()].map((pauses) => {
    const [first, last] = [pauses[0], pauses.at(-1)] as [Pause, Pause];
    return {
      reason: first.reason,
      message: first.message,
      count: pauses.length,
      durationMs: pauses.reduce((all, { duration_ms }) => all + duration_ms, 0),
      from: instantOf(first.at_ms, figures),
      to: instantOf(last.at_ms + last.duration_ms, figures),
      pauses,
    };
  });
}

/** `An outage of 14 s`, `3 pauses of 6 s in all, as the service asked` */
export function nameOfIncident({
  reason,
  count,
  durationMs,
}: Pick<Incident, "reason" | "count" | "durationMs">): string {
  const long = duration(durationMs).replace(".0 s", " s");
  if (reason === "outage") {
    return count === 1 ? `An outage of ${long}` : `${grouped(count)} outages, ${long} in all`;
  }
  return count === 1
    ? `A pause of ${long}, as the service asked`
    : `${grouped(count)} pauses, ${long} in all, as the service asked`;
}

/** The instant of a time in the figures, which leave out the time between two parts. */
function instantOf(ms: number, { parts, series }: RunFigures): string {
  const part = parts.findLast(({ at_ms }) => at_ms <= ms) ?? parts[0];
  const startedMs = Date.parse(part?.started_at ?? "");
  const within = Math.min(ms, series.duration_ms) - (part?.at_ms ?? 0);
  return new Date((Number.isNaN(startedMs) ? 0 : startedMs) + within).toISOString();
}
