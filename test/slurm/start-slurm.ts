import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { hostname, tmpdir, userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

/** A Slurm cluster of one node with two CPUs: this machine. */
export interface Slurm {
  /** Runs one of its commands, and returns what it prints. */
  run(command: string, ...args: readonly string[]): Promise<string>;
  /** A job, or each task of an array, by the number of the task. */
  jobs(id: string): Promise<readonly Job[]>;
  /** The last that the daemons have logged. */
  logs(): Promise<string>;
  /** Cancels all jobs, and ends all daemons. */
  stop(): Promise<void>;
}

export interface Job {
  readonly task: string | undefined;
  readonly state: string;
  /** `1:0`: the exit status, and the signal. */
  readonly exitCode: string;
  readonly restarts: number;
}

const run = promisify(execFile);

const maxLogChars = 20_000;

const node = hostname().replace(/\..*/s, "");

// Debian has the daemons in a folder that only the path of root has.
const path = `${process.env.PATH ?? ""}${delimiter}/usr/sbin`;

const programs = ["munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol", "scancel"];

/**
 * Starts a real Slurm with a configuration, ports and folders of its own.
 *
 * @throws if its programs are not installed, or it does not work within a minute
 */
export async function startSlurm(): Promise<Slurm> {
  const areThere = programs.map((name) => `command -v ${name}`).join(" && ");
  await run("sh", ["-c", areThere], { env: { PATH: path } }).catch(() => {
    throw new Error(`test:slurm needs Debian's packages slurm-wlm and munge: ${programs}`);
  });
  const folder = await mkdtemp(join(tmpdir(), "eventload-slurm-"));
  const at = (name: string) => join(folder, name);
  for (const name of ["munge", "state", "spool"]) await mkdir(at(name), { mode: 0o755 });
  await writeFile(at("munge/key"), randomBytes(1024), { mode: 0o600 });
  await writeFile(at("slurm.conf"), await configuration(at));
  await writeFile(at("health"), healthCheck(at("slurm.conf")), { mode: 0o755 });
  const env = { PATH: path, SLURM_CONF: at("slurm.conf") };
  const daemons: Daemon[] = [];
  const start = (name: string, ...args: readonly string[]) => {
    const daemon = startDaemon(name, args, env, at(`${name}.log`));
    daemons.push(daemon);
  };
  const command = async (name: string, ...args: readonly string[]) => {
    const options = { env: { ...process.env, ...env }, timeout: 60_000 };
    return (await run(name, [...args], options)).stdout;
  };
  const logs = async () => {
    const texts = daemons.map(({ log }) => readFile(log, "utf8"));
    return (await Promise.all(texts)).map((text) => text.slice(-maxLogChars)).join("\n");
  };
  const stop = async () => {
    await endJobs(command).catch(() => {});
    for (const daemon of daemons.toReversed()) await daemon.end();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    // Without --force, munged refuses a folder for temporary files, as others may write there.
    start(
      ...(["munged", "--foreground", "--force", `--socket=${at("munge/socket")}`] as const),
      ...[`--key-file=${at("munge/key")}`, `--pid-file=${at("munge/pid")}`],
      ...[`--seed-file=${at("munge/seed")}`, `--log-file=${at("munge/log")}`],
    );
    await until("munged", () => succeeds(run("munge", ["-n", "-S", at("munge/socket")], { env })));
    start("slurmctld", "-D");
    start("slurmd", "-D");
    await until("a node that is idle", async () => {
      const states = await command("sinfo", "--noheader", "--format=%t").catch(() => "");
      return states.startsWith("idle");
    });
  } catch (error) {
    const said = await logs();
    await stop();
    throw new Error(`Slurm does not start: ${String(error)}\n${said}`);
  }
  return {
    run: command,
    logs,
    stop,
    async jobs(id) {
      const text = await command("scontrol", "show", "job", "--oneliner", id);
      return text.split("\n").flatMap((line) => {
        const field = (name: string) => new RegExp(`\\b${name}=(\\S+)`).exec(line)?.[1];
        const state = field("JobState");
        if (state === undefined) return [];
        const [exitCode = "", restarts] = [field("ExitCode"), field("Restarts")];
        return [{ task: field("ArrayTaskId"), state, exitCode, restarts: Number(restarts) }];
      });
    },
  };
}

/** Waits until something is so, and asks ten times a second. */
export async function until(
  what: string,
  isSo: () => Promise<boolean>,
  withinMs = 60_000,
): Promise<void> {
  const endMs = Date.now() + withinMs;
  while (!(await isSo())) {
    if (Date.now() > endMs) throw new Error(`${what}: not within ${withinMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function configuration(at: (name: string) => string): Promise<string> {
  const user = userInfo().username;
  const [controllerPort, nodePort] = await freePorts(2);
  return `ClusterName=eventload
SlurmctldHost=${node}(127.0.0.1)
SlurmctldPort=${controllerPort}
SlurmdPort=${nodePort}
SlurmUser=${user}
SlurmdUser=${user}
AuthType=auth/munge
# A job that is requeued waits until its earlier credential has expired.
AuthInfo=socket=${at("munge/socket")},cred_expire=5
StateSaveLocation=${at("state")}
SlurmdSpoolDir=${at("spool")}
SlurmctldPidFile=${at("slurmctld.pid")}
SlurmdPidFile=${at("slurmd.pid")}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1
JobRequeue=1
ReturnToService=2
KillWait=10
UnkillableStepTimeout=20
HealthCheckProgram=${at("health")}
HealthCheckInterval=5
# For a machine that has other work to do.
MessageTimeout=60
BatchStartTimeout=60
TCPTimeout=20
NodeName=${node} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=${node} Default=YES MaxTime=INFINITE State=UP
`;
}

/**
 * On a machine with too much to do, the daemon of a step may miss that the step has ended, and Slurm takes no more
 * jobs for the node then.
 */
function healthCheck(configurationFile: string): string {
  return `#!/bin/sh
export SLURM_CONF="${configurationFile}"
case $(sinfo --noheader --format=%T) in
drain*) scontrol update NodeName=${node} State=RESUME ;;
esac
`;
}

interface Daemon {
  readonly log: string;
  end(): Promise<void>;
}

function startDaemon(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  log: string,
): Daemon {
  const file = openSync(log, "a");
  const child = spawn(name, args, { env, stdio: ["ignore", file, file] });
  const exited = once(child, "exit").catch(() => {});
  // If the tests are ended by force, nothing else would end it.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  return {
    log,
    async end() {
      child.kill("SIGTERM");
      const timer = setTimeout(kill, 20_000);
      await exited;
      clearTimeout(timer);
      process.removeListener("exit", kill);
      closeSync(file);
    },
  };
}

/** The processes of a job are no children of a daemon: they would outlive it. */
async function endJobs(command: (name: string, ...args: readonly string[]) => Promise<string>) {
  // It fails for one that is ending.
  await command("scancel", "--me").catch(() => {});
  await until(
    "jobs have ended",
    async () => (await command("squeue", "--noheader")) === "",
    30_000,
  );
}

function succeeds(attempt: Promise<unknown>): Promise<boolean> {
  return attempt.then(
    () => true,
    () => false,
  );
}

/** Ports that nothing listens on. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
