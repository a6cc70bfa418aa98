import { callsOf, describeThrown } from "../model/describe-thrown.ts";

/** What was thrown where nobody can catch it, and what to do: one sentence for a person. */
export function describeUncaught(thrown: unknown): string {
  const what = describeThrown(thrown);
  const file = moduleOf(thrown);
  return file === undefined
    ? `Something failed that nothing waits for: ${what} (an asynchronous function or a timer of a mapping that is a module; without one a defect of eventload, please report it).`
    : `${file} failed where nothing waits for it, in an asynchronous function or a timer, which a mapping cannot have: ${what}.`;
}

/** The module of a mapping that it is from, as it was imported, where its stack tells. */
function moduleOf(thrown: unknown): string | undefined {
  try {
    return /([^/\\\s(]{1,255}\.mjs)\?sha256=/.exec(callsOf(thrown as Error))?.[1];
  } catch {
    return undefined;
  }
}
