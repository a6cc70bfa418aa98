export type StatusKind = "success" | "retry" | "reject";

/** `409`, `2xx` and `200-204`: a list of them, or a text with commas between. */
export type StatusList = string | readonly (string | number)[];

/** The statuses that are configured; the usual rules hold for all others. */
export interface StatusLists {
  /** In place of 2xx: a 2xx that stands in none of the lists is a refusal then. */
  readonly successStatuses?: StatusList;
  readonly retryStatuses?: StatusList;
  readonly rejectStatuses?: StatusList;
}

/** What a status means; undefined where neither the lists nor the rule for 2xx say so. */
export type StatusRules = (httpStatus: number) => StatusKind | undefined;

const [lowest, highest] = [200, 599];
const statusKinds: readonly StatusKind[] = ["success", "retry", "reject"];

/** What is wrong with lists: the one to fix, and the end of a sentence about it. */
export interface StatusFault {
  readonly option: keyof StatusLists;
  readonly why: string;
}

export function faultOfStatuses(lists: StatusLists): StatusFault | undefined {
  const faults: StatusFault[] = [];
  createStatusRules(lists, (fault) => faults.push(fault));
  return faults[0];
}

/** @param report for lists that were not looked at before */
export function createStatusRules(
  lists: StatusLists,
  report: (fault: StatusFault) => void = () => {},
): StatusRules {
  const listed: StatusKind[] = [];
  for (const list of statusKinds) {
    const option = `${list}Statuses` as const;
    for (const item of itemsOf(lists[option])) {
      const [first, last] = statusRange(item) ?? [1, 0];
      if (first > last) {
        const why = `"${item}" is no status from ${lowest} to ${highest}, such as 409, 2xx or 200-204`;
        report({ option, why });
      }
      for (let status = first; status <= last; status++) {
        const other = listed[status] ?? list;
        if (other !== list) {
          const why = `${status} is among the ${list} statuses and among the ${other} statuses; leave it in one`;
          report({ option, why });
        }
        listed[status] = list;
      }
    }
  }
  const of2xx = lists.successStatuses === undefined ? "success" : "reject";
  return (status) => listed[status] ?? (status >= 200 && status < 300 ? of2xx : undefined);
}

function itemsOf(list: StatusList = []): string[] {
  return [list].flat().flatMap((item) =>
    String(item)
      .split(",")
      .map((one) => one.trim()),
  );
}

function statusRange(item: string): readonly [first: number, last: number] | undefined {
  const [, hundreds] = /^([2-5])xx$/i.exec(item) ?? [];
  if (hundreds !== undefined) return [Number(hundreds) * 100, Number(hundreds) * 100 + 99];
  const [, from, to = from] = /^(\d{3})(?:\s*-\s*(\d{3}))?$/.exec(item) ?? [];
  const [first, last] = [Number(from), Number(to)];
  return first >= lowest && last <= highest && first <= last ? [first, last] : undefined;
}
