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

/** The statuses of each list, one by one. */
export type Statuses = Partial<Readonly<Record<StatusKind, readonly number[]>>>;

export interface StatusRules {
  /** @returns undefined if the usual rules hold */
  kindOf(httpStatus: number): StatusKind | undefined;
  isSuccess(httpStatus: number): boolean;
}

export type StatusListRead =
  | { readonly kind: "statuses"; readonly statuses: readonly number[] }
  | { readonly kind: "wrong"; readonly why: string };

export type StatusListsRead =
  | { readonly kind: "statuses"; readonly statuses: Statuses }
  /** `list` is the one to fix. */
  | { readonly kind: "wrong"; readonly list: StatusKind; readonly why: string };

const [lowest, highest] = [200, 599];
const kinds: readonly StatusKind[] = ["success", "retry", "reject"];

export function parseStatusList(list: StatusList): StatusListRead {
  const items = [list].flat().flatMap((item) => String(item).split(","));
  const statuses = new Set<number>();
  for (const item of items) {
    const range = parseItem(item.trim());
    if (range === undefined) {
      const why = `"${item.trim()}" is no status from ${lowest} to ${highest}, such as 409, 2xx or 200-204`;
      return { kind: "wrong", why };
    }
    for (let status = range[0]; status <= range[1]; status++) statuses.add(status);
  }
  return { kind: "statuses", statuses: [...statuses] };
}

function parseItem(item: string): readonly [first: number, last: number] | undefined {
  const [, hundreds] = /^([2-5])xx$/i.exec(item) ?? [];
  if (hundreds !== undefined) return [Number(hundreds) * 100, Number(hundreds) * 100 + 99];
  const [, from, to = from] = /^(\d{3})(?:\s*-\s*(\d{3}))?$/.exec(item) ?? [];
  const [first, last] = [Number(from), Number(to)];
  return first >= lowest && last <= highest && first <= last ? [first, last] : undefined;
}

/** Reads all lists; a status may stand in one of them only. */
export function parseStatusLists(lists: StatusLists): StatusListsRead {
  const statuses: { [kind in StatusKind]?: readonly number[] } = {};
  const listed = new Map<number, StatusKind>();
  for (const kind of kinds) {
    const list = lists[kind];
    if (list === undefined) continue;
    const read = parseStatusList(list);
    if (read.kind === "wrong") return { ...read, list: kind };
    for (const status of read.statuses) {
      const other = listed.get(status);
      if (other !== undefined) {
        const why = `${status} is among the ${kind} statuses and among the ${other} statuses; leave it in one`;
        return { kind: "wrong", list: kind, why };
      }
      listed.set(status, kind);
    }
    statuses[kind] = read.statuses;
  }
  return { kind: "statuses", statuses };
}

export function createStatusRules(statuses: Statuses): StatusRules {
  const byStatus: (StatusKind | undefined)[] = new Array(highest + 1).fill(undefined);
  if (statuses.success !== undefined) byStatus.fill("reject", 200, 300);
  for (const kind of kinds) {
    for (const status of statuses[kind] ?? []) byStatus[status] = kind;
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
