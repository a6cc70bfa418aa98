import { copyOf, createGroups, longestMessage, messageTemplate } from "./groups.ts";
import type { EventStatus } from "./outcome.ts";
import type { Place } from "./place.ts";

export interface EndedLine extends Place {
  readonly status: EventStatus;
  readonly code: string;
  readonly message: string;
}

/** Lines that ended in the same way and say the same. */
export interface OutcomeGroup extends Pick<EndedLine, "status" | "code"> {
  /** As it is where all say the very same, else what they have in common. */
  readonly message: string;
  readonly count: number;
  readonly first: readonly EndedLine[];
}

/** Groups lines by status, code and message, and keeps the first rows of each. */
export function createOutcomeGroups() {
  const all = createGroups<EndedLine>(
    ({ status, code, message }) => `${status} ${code} ${messageTemplate(message)}`,
    (line) => ({ ...line, message: copyOf(line.message, longestMessage) }),
    maxGroups,
    maxFirst,
  );
  return {
    add: all.add,
    /** The largest first. */
    groups: (): OutcomeGroup[] =>
      all.groups().map(({ example: { status, code, message }, isAlike, count, first }) => ({
        status,
        code,
        count,
        first,
        message: isAlike ? message : messageTemplate(message),
      })),
    /** Lines without a group, as there were too many groups. */
    get ungrouped() {
      return all.ungrouped;
    },
  };
}

const maxGroups = 200;
const maxFirst = 5;
