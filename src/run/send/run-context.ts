import {
  type ConnectionSettings,
  type Connections,
  openConnections,
} from "../../delivery/http/connections.ts";
import type { ClaimedJournal } from "../../journal/journal.ts";
import { acquireLock, type Lock } from "../../journal/lock.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { nodeDisk } from "../../model/disk/node-disk.ts";
import type { PartToPrepare } from "../prepare/prepare-run.ts";
import type { PartOnRecord } from "./part-record.ts";

/** What every stage of a part goes by. */
export interface RunContext extends PartToPrepare {
  readonly unfinished: PartOnRecord | undefined;
  /** The file of the journal that was made before that was read. */
  readonly claimed: ClaimedJournal | undefined;
  readonly ports: ImportPorts;
}

/** What a run needs of the world around it. */
export interface ImportPorts {
  readonly disk: Disk;
  readonly acquireLock: (path: string) => Promise<Lock | undefined>;
  readonly connect: (settings: ConnectionSettings) => Connections;
}

export const thisMachine: ImportPorts = {
  disk: nodeDisk,
  acquireLock,
  connect: openConnections,
};
