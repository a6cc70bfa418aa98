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
): { readonly shard?: Shard } {
  const given = args.text("shard");
  if (given === undefined) return {};
  const shard = given === "env" ? shardOfEnvironment(env) : parseShard(given);
  return shard === undefined ? {} : { shard };
}

/**
 * The index of a task, as its engine sets it: Kubernetes counts the Pods of an Indexed Job from 0, Slurm the
 * tasks of an array from its own minimum, 0 or 1, and GNU parallel its jobs from 1. With EVENTLOAD_SHARDS,
 * the tasks of Slurm are numbered from 1 too.
 */
function shardOfEnvironment(env: Host["env"]): Shard {
  const number = (name: string) => {
    const text = env[name] ?? "";
    return /^\d+$/.test(text) ? Number(text) : undefined;
  };
  const count = number("EVENTLOAD_SHARDS");
  const [ofPod, ofTask, ofJob] = [
    number("JOB_COMPLETION_INDEX"),
    number("SLURM_ARRAY_TASK_ID"),
    number("PARALLEL_SEQ"),
  ];
  if (ofTask !== undefined) {
    // Whoever repeats tasks submits an array of these alone: its own count would be another division.
    if (count !== undefined)
      return checked("SLURM_ARRAY_TASK_ID", ofTask, count, "EVENTLOAD_SHARDS");
    const min = number("SLURM_ARRAY_TASK_MIN") ?? 0;
    const tasks = number("SLURM_ARRAY_TASK_COUNT");
    const max = number("SLURM_ARRAY_TASK_MAX") ?? min + (tasks ?? 0) - 1;
    if (tasks !== undefined && (max - min + 1 !== tasks || min > 1)) {
      throw unusable(
        `SLURM_ARRAY_TASK_ID is ${ofTask}, and its array does not have all shards: to run only some, set EVENTLOAD_SHARDS to the number of all`,
      );
    }
    return checked("SLURM_ARRAY_TASK_ID", ofTask - min + 1, tasks, "SLURM_ARRAY_TASK_COUNT");
  }
  if (ofPod !== undefined) {
    return checked("JOB_COMPLETION_INDEX", ofPod + 1, count, "EVENTLOAD_SHARDS");
  }
  if (ofJob !== undefined) return checked("PARALLEL_SEQ", ofJob, count, "EVENTLOAD_SHARDS");
  throw unusable(
    "none of JOB_COMPLETION_INDEX (Kubernetes), SLURM_ARRAY_TASK_ID (Slurm) and PARALLEL_SEQ (GNU parallel) is set; give the shard as 3/8",
  );
}

function checked(name: string, index: number, count: number | undefined, countName: string): Shard {
  if (count === undefined) {
    throw unusable(`${name} is set, and ${countName}, the number of shards, is not`);
  }
  const shard = { index, count };
  if (isShard(shard)) return shard;
  throw unusable(
    `${name} makes this shard ${index} of ${count} (${countName}), which does not exist`,
  );
}

function unusable(why: string) {
  return cannotStart("option_invalid", "--shard env", why);
}
