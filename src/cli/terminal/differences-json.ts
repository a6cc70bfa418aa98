import type { Differences } from "../../run/options/run-events.ts";

/** How the input of a night differs from what the service has, as `--json` prints it: keys, but for the last two. */
export function differencesJson(found: Differences): object {
  return {
    new: found.new,
    changed: found.changed,
    open: found.open,
    open_since: found.openSince ?? null,
    gone: found.gone,
    unchanged: found.unchanged,
    invalid: found.invalid,
    left_out: found.left_out,
    newly_gone: found.newlyGone,
    lacking: found.lacking,
    events: found.events,
    unreadable_rows: found.unreadableRows,
  };
}
