import type { ChangesSince } from "../changes-since.ts";
import { count } from "./summary.ts";

/** How a results file differs from what was sent, a line for people; nothing where it does not. */
export function describeChanges({
  compared,
  changed,
  rewritten,
}: ChangesSince): { readonly kind: "note" | "warning"; readonly message: string } | undefined {
  const differ = `${changed} of ${count(compared, "event")} ${changed === 1 ? "differs" : "differ"} from what was sent then, and ${changed === 1 ? "gets a new id" : "get new ids"}`;
  if (rewritten > 0) {
    const result = changed > 0 ? `; ${differ}` : "";
    return {
      kind: "warning",
      message: `a spreadsheet program has rewritten ${count(rewritten, "line")}, as import_finished_at shows${result}: look whether dates, long numbers and leading zeros are as they were.`,
    };
  }
  return changed === 0 ? undefined : { kind: "note", message: `${differ}.` };
}
