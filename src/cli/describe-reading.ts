import { describeDialect } from "../model/dialect.ts";
import type { CheckReport } from "../run/check-report.ts";

/** How the input was read, where it is not the usual: a line, or one for each way of several files. */
export function describeReading({
  dialect,
  readAs,
}: Pick<CheckReport, "dialect" | "readAs">): string[] {
  const given = readAs ?? [{ name: undefined, dialect }];
  return given.flatMap(({ name, dialect: one }) => {
    const how = describeDialect(one);
    return how === undefined ? [] : [`${name === undefined ? "Read" : `${name} read`} as: ${how}`];
  });
}
