/** What the configuration says about a status. */
export type StatusKind = "success" | "retry" | "reject";

/** `409`, `2xx` and `200-204`: a list of them, or a text with commas between. */
export type StatusList = string | readonly (string | number)[];

/** The statuses that are configured; the usual rules hold for all others. */
export interface StatusLists {
  /** In place of 2xx: a 2xx that stands in none of the lists is a refusal then. */
  readonly success?: StatusList;
  readonly retry?: StatusList;
  readonly reject?: StatusList;
}

export interface StatusRules {
  /** @returns undefined if the usual rules hold */
  kindOf(httpStatus: number): StatusKind | undefined;
  isSuccess(httpStatus: number): boolean;
}

const [lowest, highest] = [200, 599];
const kinds: readonly StatusKind[] = ["success", "retry", "reject"];

/** What is wrong with the lists, if anything is: the list to fix, and the end of a sentence about it. */
export function faultOfStatuses(
  lists: StatusLists,
): { readonly list: StatusKind; readonly why: string } | undefined {
  const listed = new Map<number, StatusKind>();
  for (const list of kinds) {
    for (const item of itemsOf(lists[list])) {
      const range = rangeOf(item);
      if (range === undefined) {
        const why = `"${item}" is no status from ${lowest} to ${highest}, such as 409, 2xx or 200-204`;
        return { list, why };
      }
      for (let status = range[0]; status <= range[1]; status++) {
        const other = listed.get(status) ?? list;
        if (other !== list) {
          const why = `${status} is among the ${list} statuses and among the ${other} statuses; leave it in one`;
          return { list, why };
        }
        listed.set(status, list);
      }
    }
  }
  return undefined;
}

function itemsOf(list: StatusList = []): string[] {
  return [list].flat().flatMap((item) =>
    String(item)
      .split(",")
      .map((one) => one.trim()),
  );
}

function rangeOf(item: string): readonly [first: number, last: number] | undefined {
  const [, hundreds] = /^([2-5])xx$/i.exec(item) ?? [];
  if (hundreds !== undefined) return [Number(hundreds) * 100, Number(hundreds) * 100 + 99];
  const [, from, to = from] = /^(\d{3})(?:\s*-\s*(\d{3}))?$/.exec(item) ?? [];
  const [first, last] = [Number(from), Number(to)];
  return first >= lowest && last <= highest && first <= last ? [first, last] : undefined;
}

/** @param lists without a fault */
export function createStatusRules(lists: StatusLists): StatusRules {
  const byStatus: (StatusKind | undefined)[] = new Array(highest + 1).fill(undefined);
  if (lists.success !== undefined) byStatus.fill("reject", 200, 300);
  for (const kind of kinds) {
    for (const [first, last] of itemsOf(lists[kind]).map((item) => rangeOf(item) ?? [0, 0])) {
      byStatus.fill(kind, first, last + 1);
    }
  }
  const kindOf = (httpStatus: number) => byStatus[httpStatus];
  return {
    kindOf,
    isSuccess(httpStatus) {
      const kind = kindOf(httpStatus);
      return kind === undefined ? httpStatus >= 200 && httpStatus < 300 : kind === "success";
    },
  };
}
