import { count, grouped } from "../model/quantities.ts";
import type { PlannedRow, SentBefore } from "./plan-row.ts";

/** What another retry of the same file has settled, so that this one leaves it out. */
export interface RetriedBefore {
  /** Name of its results. */
  readonly results: string;
  /** Events that it delivered; undefined where no check has counted them. */
  readonly delivered: number | undefined;
  /** Events that it left unknown, and that must not be sent again under at-most-once. */
  readonly unknown: number | undefined;
}

/** Why events are sent although another retry sent something for their row. */
const sentAgainBecause = ["otherData", "order", "unanswered"] as const;

/** How many such events there are, by the names of the results. */
type SentAgain = Readonly<Record<(typeof sentAgainBecause)[number], ReadonlyMap<string, number>>>;

/** Counts what other retries have settled, and what is sent again. */
export function countRetriedBefore() {
  const byResults = new Map<string, { delivered: number; unknown: number }>();
  const sentAgain = {
    otherData: new Map<string, number>(),
    order: new Map<string, number>(),
    unanswered: new Map<string, number>(),
  };
  return {
    see(planned: PlannedRow): void {
      for (const before of ("sentBefore" in planned ? planned.sentBefore : undefined) ?? []) {
        const counts = sentAgain[whySentAgain(before)];
        counts.set(before.results, (counts.get(before.results) ?? 0) + 1);
      }
      const settled = "settledBefore" in planned ? planned.settledBefore : undefined;
      for (const { results, status } of settled ?? []) {
        const counts = byResults.get(results) ?? { delivered: 0, unknown: 0 };
        byResults.set(results, counts);
        counts[status === "succeeded" ? "delivered" : "unknown"]++;
      }
    },
    counted: (): readonly RetriedBefore[] =>
      [...byResults].map(([results, counts]) => ({ results, ...counts })),
    /** What is sent again, for people: a sentence for each reason. */
    sentAgain: () => describeSentAgain(sentAgain),
  };
}

function whySentAgain({ isSameEvent, status }: SentBefore): keyof SentAgain {
  if (!isSameEvent) return "otherData";
  return status === "delivered" ? "order" : "unanswered";
}

function describeSentAgain(sentAgain: SentAgain): string[] {
  return sentAgainBecause.flatMap((why) => {
    const counts = [...sentAgain[why]].map(([results, number]) => ({ results, number }));
    const { total, names } = namesAndTotal(counts);
    return total === 0 ? [] : [sentenceOf(why, total, names)];
  });
}

function sentenceOf(why: keyof SentAgain, total: number, names: string): string {
  const [was, is, rows] = total === 1 ? ["was", "is", "row"] : ["were", "are", "rows"];
  const events = count(total, "event");
  switch (why) {
    case "otherData":
      return `${events} ${is} sent with other data than ${names} sent for the same ${rows}: make sure that this file has the newer data.`;
    case "order":
      return `${events} ${was} delivered by ${names} and ${is} sent again, because an earlier event of the same ordering_key is sent after that.`;
    case "unanswered":
      return `${events} got no answer in ${names}, may have arrived, and ${is} sent again.`;
  }
}

/** The same for people, a sentence each. */
export function describeRetriedBefore(retries: readonly RetriedBefore[]): string[] {
  const uncounted = retries.filter(({ delivered }) => delivered === undefined);
  if (uncounted.length > 0) {
    const names = listed(uncounted.map(({ results }) => results));
    return [`What ${names} delivered is left out.`];
  }
  const delivered = byName(retries, "delivered");
  const unknown = byName(retries, "unknown");
  const areOne = (one: string, more: string, total: number) => (total === 1 ? one : more);
  return [
    ...(delivered.total === 0
      ? []
      : [
          `${count(delivered.total, "event")} ${areOne("was", "were", delivered.total)} delivered by ${delivered.names} and ${areOne("is", "are", delivered.total)} left out.`,
        ]),
    ...(unknown.total === 0
      ? []
      : [
          `${count(unknown.total, "event")} ${areOne("is", "are", unknown.total)} unknown since ${unknown.names} and ${areOne("is", "are", unknown.total)} not sent again under --delivery at-most-once.`,
        ]),
  ];
}

function byName(retries: readonly RetriedBefore[], which: "delivered" | "unknown") {
  return namesAndTotal(
    retries.flatMap(({ results, [which]: number = 0 }) =>
      number === 0 ? [] : { results, number },
    ),
  );
}

function namesAndTotal(some: readonly { readonly results: string; readonly number: number }[]) {
  const names = some.map(({ results, number }) =>
    some.length === 1 ? results : `${results} (${grouped(number)})`,
  );
  return { total: some.reduce((sum, { number }) => sum + number, 0), names: listed(names) };
}

/** `a`, `a and b`, `a, b and c` */
function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
