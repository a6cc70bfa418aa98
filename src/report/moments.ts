/** Words for instants: in the zone of whoever made the report, and in UTC. */
export interface Moments {
  readonly zone: string;
  /** `02:10:03` */
  clock(iso: string): string;
  /** `24 Nov 2026, 02:10:03` */
  full(iso: string): string;
  /** `02:10:03 to 02:10:17 (01:10:03 to 01:10:17 UTC)`, with the day where `near` is of another one. */
  span(from: string, to: string, near: string): string;
}

/** @param zone as the IANA has it, such as `Europe/Amsterdam` */
export function createMoments(zone: string): Moments {
  const local = formatsOf(zone);
  const utc = formatsOf("UTC");
  const span = ({ clock, day }: Formats, from: string, to: string, near: string) => {
    const shown = (iso: string, other: string) =>
      day(iso) === day(other) ? clock(iso) : `${day(iso)}, ${clock(iso)}`;
    const begin = shown(from, near);
    return clock(from) === clock(to) && day(from) === day(to)
      ? begin
      : `${begin} to ${shown(to, from)}`;
  };
  return {
    zone,
    clock: local.clock,
    full: (iso) => `${local.day(iso)}, ${local.clock(iso)}`,
    span(from, to, near) {
      const inUtc = `${span(utc, from, to, near)} UTC`;
      return isUtc(zone) ? inUtc : `${span(local, from, to, near)} (${inUtc})`;
    },
  };
}

export function isUtc(zone: string): boolean {
  return zone === "UTC" || zone === "Etc/UTC";
}

interface Formats {
  clock(iso: string): string;
  day(iso: string): string;
}

function formatsOf(timeZone: string): Formats {
  const clock = new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "medium" });
  const day = new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "medium" });
  return {
    clock: (iso) => clock.format(Date.parse(iso)),
    day: (iso) => day.format(Date.parse(iso)),
  };
}
