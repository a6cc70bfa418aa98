import type { Ending } from "./outcome.ts";

/** What a status means, and what to do about it. */
export const endings: Readonly<
  Record<Ending, { readonly meaning: string; readonly todo: string }>
> = {
  succeeded: { meaning: "the service accepted it", todo: "" },
  skipped: { meaning: "left out on purpose, or succeeded before", todo: "" },
  rejected: {
    meaning: "the service refused it",
    todo: "Mend in the failed rows what the service refuses, then retry them.",
  },
  failed: {
    meaning: "all attempts were used up",
    todo: "Nothing has to be mended: retry the failed rows when the service is well.",
  },
  unknown: {
    meaning: "may have arrived: no answer came",
    todo: "Look them up in the service, or retry them with --delivery at-least-once if they may arrive twice.",
  },
  invalid: {
    meaning: "could not be mapped; nothing was sent",
    todo: "Mend the cells in the failed rows, or the mapping, then retry them.",
  },
  blocked: {
    meaning: "held back behind one of the same key that did not succeed",
    todo: "Mend or retry the row that is named: these follow with the same retry.",
  },
  not_sent: {
    meaning: "not settled before the run stopped",
    todo: "Resume the run.",
  },
};

/** The order in which they are told. */
export const endingOrder = [
  "succeeded",
  "skipped",
  "rejected",
  "failed",
  "unknown",
  "invalid",
  "blocked",
  "not_sent",
] as const satisfies readonly Ending[];

export function wordOf(ending: Ending): string {
  return ending.replaceAll("_", " ");
}
