import {
  type ConnectionSettings,
  type Connections,
  openConnections,
} from "../../delivery/http/connections.ts";
import type { ClaimedJournal } from "../../journal/journal.ts";
import { acquireLock, type Lock } from "../../journal/lock.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { nodeDisk } from "../../model/disk/node-disk.ts";
import type { Manifest } from "../../model/manifest.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { StopController } from "../../model/stop.ts";
import type { ImportSettings } from "./import-settings.ts";
import type { InputKind } from "./input.ts";
import type { UnfinishedPart } from "./part-record.ts";

/** What every stage of a part goes by. */
export interface RunContext {
  readonly settings: ImportSettings;
  /** Path of the mapping file. */
  readonly mapping: string;
  readonly kind: InputKind;
  readonly files: RunFiles;
  /** What the account says: before a retry, or when the part stopped that is resumed. */
  readonly account: Manifest | undefined;
  /** Path of the file that selects rows of the account, or of one that is gone; undefined for an input. */
  readonly given: string | undefined;
  /** The part that this one continues. */
  readonly unfinished: UnfinishedPart | undefined;
  /** The file of the journal that was made before that was read. */
  readonly claimed: ClaimedJournal | undefined;
  readonly stop: StopController;
  readonly ports: ImportPorts;
}

/** What a run needs of the world around it. */
export interface ImportPorts {
  /** Where journal and results are kept. */
  readonly disk: Disk;
  readonly acquireLock: (path: string) => Promise<Lock | undefined>;
  readonly connect: (settings: ConnectionSettings) => Connections;
}

export const thisMachine: ImportPorts = {
  disk: nodeDisk,
  acquireLock,
  connect: openConnections,
};
