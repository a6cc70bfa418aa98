import { describe, expect, it } from "vitest";
import type { RowProblem } from "../../src/model/row.ts";
import { createProblemGroups } from "../../src/run/check/group-problems.ts";

function grouped(problems: readonly RowProblem[]) {
  const groups = createProblemGroups();
  problems.forEach((problem, at) => {
    groups.add({ row: at + 1, line: at + 2, cells: [] }, problem);
  });
  return groups;
}

const age = (value: string): RowProblem => ({
  ...{ code: "not_an_integer", column: "Age", value, message: "is not a whole number" },
});

describe("problems by kind and column", () => {
  it("name the file of a row, where there are several", () => {
    const groups = createProblemGroups();
    groups.add({ row: 1, line: 2, cells: [], source: "north.csv" }, age("x"));
    const [group] = groups.grouped();
    expect(group?.first[0]).toMatchObject({ source: "north.csv" });
    expect(group?.cases[0]?.first).toEqual({ row: 1, line: 2, source: "north.csv" });
  });

  it("take bounded memory: groups, cells and the length of a cell have an end", () => {
    const many = Array.from({ length: 1000 }, (_, at) => ({ ...age("x"), column: `C${at}` }));
    const columns = grouped(many);
    expect(columns.grouped()).toHaveLength(200);
    expect(columns.ungrouped).toBe(800);

    const cells = Array.from({ length: 1000 }, (_, at) => age(`${at}${"é".repeat(1000)}`));
    const [group] = grouped(cells).grouped();
    expect(group).toMatchObject({ count: 1000 });
    expect(group?.cases).toHaveLength(10);
    expect(group?.first).toHaveLength(5);
    expect(group?.first[0]?.value).toBe(`0${"é".repeat(199)}…`);
  });
});
