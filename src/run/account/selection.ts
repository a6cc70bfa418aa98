import { count } from "../../model/quantities.ts";
import type { Selection } from "../options/run-events.ts";

/** What was selected, for people, a sentence each. */
export function describeSelection(selection: Selection): string[] {
  const { done, skipped, unknown, notFixed, superseded, blocked } = selection;
  const are = (number: number, one: string, more: string) =>
    `${count(number, "line")} ${number === 1 ? one : more}`;
  return [
    ...(done === 0 ? [] : [`${are(done, "is", "are")} done already, and left out.`]),
    ...(skipped === 0 ? [] : [`${are(skipped, "is", "are")} set to skipped by the file.`]),
    ...(unknown === 0
      ? []
      : [
          `${are(unknown, "is", "are")} unknown, and not sent again under --delivery at-most-once, nor are changed cells taken: look in the service; set what has arrived to skipped, or send with --delivery at-least-once.`,
        ]),
    ...(notFixed === 0
      ? []
      : [
          `${are(notFixed, "was", "were")} not fixed, and ${notFixed === 1 ? "stays" : "stay"} invalid: fix the cells, or clear import_error_code to send them as they stand.`,
        ]),
    ...(superseded === 0
      ? []
      : [
          `${are(superseded, "is", "are")} superseded, because a later event of the same row or ordering key has arrived, or may have: what is still needed of it, import in a file of its own; set the rest to skipped.`,
        ]),
    ...(blocked === 0
      ? []
      : [
          `${are(blocked, "stays", "stay")} blocked, because an earlier event of the same row or ordering key is open and not sent: retry that too, or set it to skipped.`,
        ]),
  ];
}
