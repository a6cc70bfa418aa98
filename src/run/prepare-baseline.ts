import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fingerprintFile } from "../journal/fingerprint.ts";
import { type CannotStartError, cannotStart } from "../model/errors.ts";
import { baseOfRun, runFiles } from "../model/run-files.ts";
import { type Manifest, readManifest } from "../results/manifest.ts";
import type { BaselineFile } from "./baseline-file.ts";
import { refuseUnfinished } from "./find-unfinished.ts";
import type { Shard } from "./shard.ts";

/** What the run is that is to be compared with them. */
export interface BaselineUse {
  /** Where its results go; a check has none. */
  readonly results?: string;
  /** What it sends to, if that is known. */
  readonly baseUrl?: string;
  /** The part of the rows that it takes. */
  readonly shard?: Shard | undefined;
}

const maxFiles = 1000;

/**
 * Makes sure that files are whole results of earlier runs to the same service, the oldest first.
 * Otherwise an event might be left out that the service was not sent, or not sent last.
 *
 * @throws CannotStartError
 */
export async function prepareBaseline(
  paths: readonly string[],
  use: BaselineUse,
): Promise<readonly BaselineFile[]> {
  if (paths.length > maxFiles) {
    throw cannotStart("option_invalid", "baseline", `${maxFiles} files at most`);
  }
  const files: BaselineFile[] = [];
  for (const path of paths) if (!isGoneFile(path)) files.push(await prepareFile(path, use));
  const [first] = paths;
  if (files.length === 0 && first !== undefined) {
    const why = "it has only the keys that were gone; give the results beside it";
    throw cannotStart("baseline_unusable", basename(first), why);
  }
  files.forEach((file, at) => {
    const before = files[at - 1];
    if (before === undefined || before.manifest.finished_at <= file.manifest.finished_at) return;
    const why = `it is older than ${before.name}, which is given before it; give the oldest first`;
    throw cannotStart("baseline_unusable", file.name, why);
  });
  return files;
}

function isSameShard(one: Shard, other: Shard | undefined): boolean {
  return one.index === other?.index && one.count === other.count;
}

/** It is read with the results that it stands beside. */
function isGoneFile(path: string): boolean {
  return path.endsWith(".gone.csv");
}

async function prepareFile(path: string, use: BaselineUse): Promise<BaselineFile> {
  const name = basename(path);
  const unusable = (why: string) => cannotStart("baseline_unusable", name, why);
  const base = baseOfRun(path);
  if (use.results !== undefined && (await realBase(path)) === (await realBase(use.results))) {
    throw unusable("it belongs to this run itself; give the results of an earlier one");
  }
  const fingerprint = await fingerprintFile(path);
  await refuseUnfinished(path);
  const manifestName = `${basename(base)}.run.json`;
  const read = await readManifest(join(dirname(path), manifestName));
  switch (read.kind) {
    case "absent":
      throw unusable(
        `there is no ${manifestName} beside it to say to which service it was sent, and by which mapping; if the results were moved, move it too; else leave out --baseline once, to send everything`,
      );
    case "unreadable":
      throw unusable(`its manifest ${manifestName} cannot be read (${read.message})`);
    case "manifest":
      break;
    default:
      read satisfies never;
  }
  const { manifest } = read;
  const { base_url: sentTo, exit_reason: status } = manifest;
  if (status !== "complete") {
    const why = `its run stopped early (${status}), so what was delivered last is not certain`;
    throw unusable(`${why}; leave out --baseline once, to send everything`);
  }
  const ofShard = manifest.options.shard;
  if (ofShard !== null && !isSameShard(ofShard, use.shard)) {
    throw unusable(
      `it is of shard ${ofShard.index} of ${ofShard.count} only; give the results of all, merged, or of the same shard ({shard} in the name)`,
    );
  }
  if (use.baseUrl !== undefined && use.baseUrl !== sentTo) {
    throw unusable(`it was sent to ${sentTo}, and this run sends to ${use.baseUrl}`);
  }
  const gone = await goneRowsOf(manifest, base, unusable);
  return { path: resolve(path), name, ...fingerprint, manifest, ...gone };
}

async function goneRowsOf(
  { gone: written }: Manifest,
  base: string,
  unusable: (why: string) => CannotStartError,
): Promise<Pick<BaselineFile, "gone">> {
  if (written === null) return {};
  const { gone: path } = runFiles(`${base}.results.csv`);
  const name = basename(path);
  const now = await fingerprintFile(path).catch(() => undefined);
  if (now?.sha256 === written.sha256) return { gone: { path: resolve(path), name, ...now } };
  const what = now === undefined ? "is not beside it" : "was changed";
  throw unusable(
    `${name}, which holds the keys that were gone, ${what}; put it there as its run wrote it, or leave out --baseline once, to send everything`,
  );
}

/** Also through a linked folder. */
async function realBase(path: string): Promise<string> {
  const folder = resolve(dirname(path));
  return baseOfRun(join(await realpath(folder).catch(() => folder), basename(path)));
}
