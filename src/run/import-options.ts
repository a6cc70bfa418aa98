import type { Clock } from "../model/clock.ts";
import type { DeliveryNotice } from "../model/delivery-notice.ts";
import type { Dialect } from "../model/dialect.ts";
import type { Finding } from "../model/finding.ts";
import type { DeliveryMode, Durability } from "../model/guarantees.ts";
import type { MaxErrors } from "../model/max-errors.ts";
import type { Outcome, StatusCounts } from "../model/outcome.ts";
import type { OutcomeGroup } from "../model/outcome-groups.ts";
import type { ProxySettings } from "../model/proxy-settings.ts";
import type { Reading } from "../model/reading.ts";
import type { Row, RowProblem } from "../model/row.ts";
import type { LimitedBy, SendingAccount, TrafficSoFar } from "../model/run-figures.ts";
import type { PauseReason, SendingState } from "../model/sending-state.ts";
import type { StatusLists } from "../model/status-rules.ts";
import type { StopReason } from "../model/stop.ts";
import type { TokenSource } from "../model/token-source.ts";
import type { CheckProgress, CheckReport } from "./check-report.ts";
import type { Input, MappingObject, Rows } from "./input.ts";

/** What can be said of how events are sent; each has a default. */
export interface SendOptions {
  /** Requests in flight at most; default 32. */
  readonly concurrency?: number;
  /** Attempts a second at most; default no cap. */
  readonly ratePerSecond?: number;
  /** Attempts for an event at most; default 5. */
  readonly maxAttempts?: number;
  /** Deadline for an attempt, from connecting to the last byte of the answer; default 30,000. */
  readonly timeoutMs?: number;
  /**
   * Whether concurrency and rate are detected from how the service copes, within the caps above;
   * default yes. Without it, both are the caps from the first moment.
   */
  readonly adaptive?: boolean;
  /**
   * How long the service may take nothing before the run stops; default 900,000. With 0 no outage is
   * waited for: events fail when their attempts are spent.
   */
  readonly maxOutageMs?: number;
  /** Whether an event that may have arrived is sent again; default `at-least-once`. */
  readonly delivery?: DeliveryMode;
  /**
   * What the record of an attempt survives before it may leave: a power cut, or only the end of the
   * process, which spares the disk a sync; default `power`.
   */
  readonly durability?: Durability;
  /** Name of a header that carries the event id; default none. */
  readonly idempotencyHeader?: string;
  /** Whether plain http may go to other machines; default not. */
  readonly allowHttp?: boolean;
  /** Proxies by the scheme of the base URL; default none. Never used for this machine. */
  readonly proxy?: ProxySettings;
  /** Paths of PEM files whose certificates are trusted besides the usual ones; default none. */
  readonly caFile?: string | readonly string[];
  /** What statuses mean, if it is not the usual; default nothing. */
  readonly statuses?: StatusLists;
  /** Rows to leave out at the beginning; default 0. */
  readonly skip?: number;
  /** Rows at most; default all. */
  readonly limit?: number;
  /** Whether every row is checked before the first is sent (files only); default yes. */
  readonly check?: boolean;
  /**
   * How much may go wrong in this part of the run (rejected, failed, unknown, invalid) before it
   * stops; default no bound. A share is judged from 100 events on. The check counts already: more
   * invalid rows than that keep everything from being sent.
   */
  readonly maxErrors?: MaxErrors;
  /** Whether a single invalid row keeps everything from being sent; default not. */
  readonly strict?: boolean;
}

export interface ImportOptions extends SendOptions {
  /**
   * Path of a CSV file, several whose headers agree, bytes that can be read once, such as `process.stdin`, or
   * rows as objects.
   */
  readonly input: Input | Rows;
  /**
   * What `meta: input_name` says; default the name of the file, or `stdin`. Of several files it is
   * always that of the row's own.
   */
  readonly inputName?: string;
  /** How the input is to be read; default by its content. */
  readonly reading?: Reading;
  /** Path of the mapping file, or what would stand in it: that is kept as `.mapping.json` beside the results. */
  readonly mapping: string | MappingObject;
  /** `https://host/prefix` of the service. */
  readonly baseUrl: string;
  /** The name under which a configuration file knows that address; it is kept with the results. */
  readonly target?: string;
  /** The access token, or where to get it. It is never written anywhere. */
  readonly token: string | TokenSource;
  /** Path of the results CSV; failed rows and manifest go beside it. Default: beside the (first) input. */
  readonly results?: string;
  /**
   * Paths of results of earlier runs to the same service, the oldest first. Events that are what was
   * delivered last are skipped as unchanged.
   */
  readonly baseline?: string | readonly string[];
  /**
   * Whether an unfinished run of the same results is resumed: `never` refuses to start then
   * (the default), `if-unfinished` goes on or else starts, `must` refuses where there is none.
   */
  readonly resume?: "never" | "if-unfinished" | "must";

  /**
   * Folder of the key that seals manifest and journal, so that a retry or resume can trust them; default
   * `~/.local/state/eventload`.
   */
  readonly stateFolder?: string;

  /** Ends the run: nothing more is read, what is in flight is waited for and recorded. */
  readonly signal?: AbortSignal;
  /** Ends the run at once: what is in flight is cut off and recorded as unanswered. */
  readonly cutOffSignal?: AbortSignal;
  /** Called a few times a second, and at the end of each phase. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Called for what is worth a line in a log. */
  readonly onNotice?: (notice: ImportNotice) => void;
  /** Time and chance; for tests. */
  readonly clock?: Clock;
}

export type ImportProgress = CheckProgress | SendProgress;

export interface SendProgress {
  readonly phase: "send";
  readonly rowsRead: number;
  /** Rows of which every event has ended. */
  readonly rowsEnded: number;
  /** Rows that the parts of the run before this one had settled. */
  readonly rowsBefore: number;
  /** Where a check has counted them. */
  readonly rowsTotal: number | undefined;
  readonly bytesRead: number;
  readonly totalBytes: number | undefined;
  /** Lines of the results so far by how they ended. */
  readonly counts: Readonly<StatusCounts>;
  /** Events that are to be sent in all, where a check has counted them. */
  readonly eventsTotal: number | undefined;
  readonly inFlight: number;
  /** How the sending is at the moment. */
  readonly sending: SendingState;
  /** Rows read and not yet in the results. */
  readonly pending: number;
  /** For how long nothing leaves from now; 0 where nothing is held back. */
  readonly pausedForMs: number;
  /** Why nothing but a probe leaves at the moment. */
  readonly pausedBecause: PauseReason | undefined;
  /** What has left and come back since this process began to send. */
  readonly traffic: TrafficSoFar;
}

export type ImportNotice =
  | DeliveryNotice
  | {
      readonly kind: "warning";
      readonly message: string;
      /** What it is about where it repeats cells of the input. */
      readonly finding?: Pick<Finding, "kind" | "column" | "count">;
    }
  /** The input could be opened, and how it is read: once for each way, if there are several. */
  | { readonly kind: "opened"; readonly name: string; readonly dialect: Dialect }
  | { readonly kind: "invalid"; readonly row: Row; readonly problem: RowProblem }
  /** An event has ended, and neither succeeded nor was it left out. */
  | {
      readonly kind: "not_succeeded";
      readonly row: Pick<Row, "row" | "line" | "source">;
      readonly outcome: Outcome;
    }
  /**
   * An interrupted run goes on: after how many rows, and with how many events that may have been sent; of
   * those some were on their way when it was killed, at most twice as many as were to be in flight.
   */
  | {
      readonly kind: "resumed";
      readonly rows: number;
      readonly perhapsSent: number;
      readonly inFlight: number;
    }
  | { readonly kind: "checked"; readonly report: CheckReport }
  | { readonly kind: "stop"; readonly reason: StopReason };

export type ExitReason = "complete" | StopReason["code"];

/** The account of a run. */
export interface RunSummary {
  readonly exitReason: ExitReason;
  /** Why it stopped and what to do; absent where it is complete. */
  readonly message?: string;
  /** Rows of the input, also those not reached where a check has counted them. */
  readonly rows: number;
  /** Events that the mapping made of the rows that were read. */
  readonly events: number;
  /** Lines of the results by how they ended; `not_sent` counts rows not reached too. */
  readonly counts: StatusCounts;
  /** Events among the skipped ones that are what a baseline says was delivered last. */
  readonly unchanged: number;
  readonly attempts: number;
  /** Attempts that may have reached the service and were never answered. */
  readonly unanswered: number;
  /** Events of which more than one attempt of this run may have reached the service. */
  readonly perhapsTwice: number;
  readonly elapsedMs: number;
  /** How the sending went, earlier parts of the run among it; absent where none began. */
  readonly sending?: SendingAccount;
  /** What kept this part of the run from sending faster; absent where nothing but this program did. */
  readonly limitedBy?: LimitedBy;
  /** What did not succeed, those that say the same together; the largest group first. */
  readonly problems: readonly OutcomeGroup[];
  /** Lines of the results that did not succeed and are in none of these groups. */
  readonly ungroupedProblems: number;
  /** Absent where the run stopped before anything was worth keeping: no file is left then. */
  readonly results?: string;
  readonly failedRows?: string;
  readonly manifest?: string;
}

/** What may differ from one part of a run to the next; the rest stands in its journal. */
export type ResumeOptions = Pick<
  ImportOptions,
  | "adaptive"
  | "allowHttp"
  | "caFile"
  | "clock"
  | "concurrency"
  | "cutOffSignal"
  | "durability"
  | "maxAttempts"
  | "maxErrors"
  | "maxOutageMs"
  | "onNotice"
  | "onProgress"
  | "proxy"
  | "ratePerSecond"
  | "signal"
  | "stateFolder"
  | "statuses"
  | "timeoutMs"
  | "token"
> & {
  /** Path of the results of the run. */
  readonly results: string;
  /** Default: that of the run, from its journal, where the seal of that is good. It cannot be another. */
  readonly mapping?: string;
  /** Default: that of the run, from its journal, where the seal of that is good. It cannot be another. */
  readonly baseUrl?: string;
};

export interface RetryOptions
  extends Omit<ImportOptions, "input" | "mapping" | "baseUrl" | "baseline"> {
  /** Path of a results or failed-rows file, also one that a person edited. */
  readonly input: string;
  /** Default: that of the earlier run, from the manifest beside the input, where its seal is good. */
  readonly mapping?: string;
  /** Default: that of the earlier run, from the manifest beside the input, where its seal is good. */
  readonly baseUrl?: string;
  /** Whether cells are sent although a program seems to have altered them; default not. */
  readonly allowAltered?: boolean;
}
