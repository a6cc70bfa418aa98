import type { ChangesSince } from "../changes-since.ts";
import { count, grouped } from "../domain/quantities.ts";

/** A line for people. */
interface Told {
  readonly kind: "note" | "warning";
  readonly message: string;
}

/** More than a person mends by hand, if it is also half of all. */
const many = 20;

/** How a results file differs from what was sent; nothing where it does not. */
export function describeChanges({ compared, changed, rewritten }: ChangesSince): Told | undefined {
  const differ =
    changed === 1
      ? `1 of ${count(compared, "event")} differs from what was sent then, and gets a new id`
      : `${grouped(changed)} of ${count(compared, "event")} differ from what was sent then, and get new ids`;
  if (rewritten > 0) {
    const result = changed > 0 ? `; ${differ}` : "";
    const message = `a spreadsheet program has rewritten ${count(rewritten, "line")}, as import_finished_at shows${result}: look whether ${easilyBent} are as they were.`;
    return { kind: "warning", message };
  }
  if (changed === 0) return undefined;
  if (changed < many || changed * 2 < compared) return { kind: "note", message: `${differ}.` };
  const message = `${differ}: if nobody mended so many, a spreadsheet program has changed them; look whether ${easilyBent} are as they were.`;
  return { kind: "warning", message };
}

const easilyBent = "leading zeros, dates, decimals and long numbers";
