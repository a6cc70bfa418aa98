export type Moments = ReturnType<typeof createMoments>;

/**
 * Words for instants: in the zone of whoever made the report, and in UTC.
 *
 * @param zone as the IANA has it, such as `Europe/Amsterdam`
 */
export function createMoments(zone: string) {
  const local = wordsIn(zone);
  const utc = wordsIn("UTC");
  return {
    /** `24 Nov 2026` */
    day: local.day,
    /** `02:10:03 to 02:10:17`, where the zone is clear. */
    brief: local.span,
    /** `02:10:03 to 02:10:17 (01:10:03 to 01:10:17 UTC)`, with the day where that is not the day of `near`. */
    span(from: string, to: string, near: string) {
      const inUtc = `${utc.span(from, to, near)} UTC`;
      const isUtc = zone === "UTC" || zone === "Etc/UTC";
      return isUtc ? inUtc : `${local.span(from, to, near)} (${inUtc})`;
    },
  };
}

function wordsIn(timeZone: string) {
  const clocks = new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "medium" });
  const days = new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "medium" });
  const day = (iso: string) => days.format(Date.parse(iso));
  const at = (iso: string, other: string) => {
    const clock = clocks.format(Date.parse(iso));
    return day(iso) === day(other) ? clock : `${day(iso)}, ${clock}`;
  };
  return {
    day,
    span: (from: string, to: string, near: string) =>
      at(from, near) === at(to, near) ? at(from, near) : `${at(from, near)} to ${at(to, from)}`,
  };
}
