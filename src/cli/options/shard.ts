import { cannotStart } from "../../model/errors.ts";
import { isShard, parseShard, type Shard } from "../../model/shard.ts";
import type { Host } from "../host.ts";
import type { Arguments } from "./arguments.ts";

/**
 * The part of the rows that a run takes, if it takes one.
 *
 * @throws CannotStartError if the environment was to say it and does not
 */
export function shardOf(
  args: Pick<Arguments, "text">,
  { env }: Pick<Host, "env">,
): Shard | undefined {
  const given = args.text("shard");
  return given === "env" ? shardOfEnvironment(env) : parseShard(given ?? "");
}

/**
 * The index of a task, as its engine sets it: Kubernetes counts the Pods of an Indexed Job from 0, Slurm the
 * tasks of an array from its own minimum, 0 or 1, and GNU parallel its jobs from 1. With EVENTLOAD_SHARDS,
 * the tasks of Slurm are numbered from 1 too: whoever repeats some submits an array of these alone.
 */
function shardOfEnvironment(env: Host["env"]): Shard {
  const number = (name: string) => {
    const text = env[name] ?? "";
    return /^\d+$/.test(text) ? Number(text) : undefined;
  };
  const count = "EVENTLOAD_SHARDS";
  const isWhole = number(count) === undefined;
  const min = number("SLURM_ARRAY_TASK_MIN") ?? 0;
  const engines = [
    isWhole
      ? { task: "SLURM_ARRAY_TASK_ID", first: min, count: "SLURM_ARRAY_TASK_COUNT" }
      : { task: "SLURM_ARRAY_TASK_ID", first: 1, count },
    { task: "JOB_COMPLETION_INDEX", first: 0, count },
    { task: "PARALLEL_SEQ", first: 1, count },
  ];
  const engine = engines.find(({ task }) => number(task) !== undefined);
  if (engine === undefined) {
    throw unusable(
      "none of JOB_COMPLETION_INDEX (Kubernetes), SLURM_ARRAY_TASK_ID (Slurm) and PARALLEL_SEQ (GNU parallel) is set; give the shard as 3/8",
    );
  }
  const [task = 0, tasks] = [number(engine.task), number(engine.count)];
  if (tasks === undefined) {
    throw unusable(`${engine.task} is set, and ${engine.count}, the number of shards, is not`);
  }
  const max = number("SLURM_ARRAY_TASK_MAX") ?? min + tasks - 1;
  if (engine === engines[0] && isWhole && (max - min + 1 !== tasks || min > 1)) {
    throw unusable(
      `SLURM_ARRAY_TASK_ID is ${task}, and its array does not have all shards: to run only some, set EVENTLOAD_SHARDS to the number of all`,
    );
  }
  const shard = { index: task - engine.first + 1, count: tasks };
  if (isShard(shard)) return shard;
  throw unusable(
    `${engine.task} makes this shard ${shard.index} of ${tasks} (${engine.count}), which does not exist`,
  );
}

function unusable(why: string) {
  return cannotStart("option_invalid", "--shard env", why);
}
