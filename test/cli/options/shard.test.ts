import { describe, expect, test } from "vitest";
import { importCommand } from "../../../src/cli/commands/import.ts";
import { readArguments } from "../../../src/cli/options/arguments.ts";
import { shardOf } from "../../../src/cli/options/shard.ts";

const shard = (value: string, env: Record<string, string> = {}) => {
  const setting = { value, origin: "command line", place: "--shard" } as const;
  return shardOf(readArguments(importCommand, [new Map([["shard", setting]])]), { env });
};

describe("the shard of a run", () => {
  test("is what is typed", () => {
    expect(shard("8/8")).toEqual({ index: 8, count: 8 });
  });

  test.each(["0/8", "9/8", "3", "1/20000", "1.5/2"])("%s is none", (text) => {
    expect(() => shard(text)).toThrow(
      `--shard: "${text}" is not a number and a count, such as 3/8 for the third of eight`,
    );
  });

  test.each<[string, Record<string, string>, number, number]>([
    ["Kubernetes", { JOB_COMPLETION_INDEX: "7", EVENTLOAD_SHARDS: "8" }, 8, 8],
    [
      "Slurm",
      { SLURM_ARRAY_TASK_ID: "3", SLURM_ARRAY_TASK_MIN: "0", SLURM_ARRAY_TASK_COUNT: "4" },
      4,
      4,
    ],
    [
      "Slurm, for a task that is repeated,",
      {
        ...{ SLURM_ARRAY_TASK_ID: "3", SLURM_ARRAY_TASK_MIN: "3", SLURM_ARRAY_TASK_COUNT: "1" },
        EVENTLOAD_SHARDS: "8",
      },
      3,
      8,
    ],
    ["GNU parallel", { PARALLEL_SEQ: "2", EVENTLOAD_SHARDS: "4" }, 2, 4],
  ])("is what %s sets, by env", (_, env, index, count) => {
    expect(shard("env", env)).toEqual({ index, count });
  });

  test.each<[Record<string, string>, string]>([
    [{}, "none of JOB_COMPLETION_INDEX (Kubernetes), SLURM_ARRAY_TASK_ID (Slurm)"],
    [{ PARALLEL_SEQ: "2" }, "PARALLEL_SEQ is set, and EVENTLOAD_SHARDS, the number of shards, is"],
    [{ PARALLEL_SEQ: "5", EVENTLOAD_SHARDS: "4" }, "PARALLEL_SEQ makes this shard 5 of 4"],
    [
      { SLURM_ARRAY_TASK_ID: "3", SLURM_ARRAY_TASK_MIN: "3", SLURM_ARRAY_TASK_COUNT: "1" },
      "SLURM_ARRAY_TASK_ID is 3, and its array does not have all shards: to run only some, set EVENTLOAD_SHARDS",
    ],
    [
      {
        ...{ SLURM_ARRAY_TASK_ID: "3", SLURM_ARRAY_TASK_MIN: "3", SLURM_ARRAY_TASK_MAX: "5" },
        SLURM_ARRAY_TASK_COUNT: "2",
      },
      "SLURM_ARRAY_TASK_ID is 3, and its array does not have all shards: to run only some, set EVENTLOAD_SHARDS",
    ],
    [{ SLURM_ARRAY_TASK_ID: "5" }, "and SLURM_ARRAY_TASK_COUNT, the number of shards, is not"],
  ])("is said to be missing where the environment has %j", (env, why) => {
    expect(() => shard("env", env)).toThrow(why);
  });
});
