import type { Clock } from "../../model/clock.ts";
import type { MaxErrors } from "../../model/max-errors.ts";
import type { ProxySettings } from "../../model/proxy-settings.ts";
import type { ImportNotice, ImportProgress } from "../../model/run-events.ts";
import type { Settings } from "../../model/run-settings.ts";
import type { TokenSource } from "../../model/token-source.ts";
import type { Input, Rows } from "./input.ts";

/** How events are sent, by an import and whatever continues it; each option but the token has a default. */
export interface SendOptions extends Settings {
  /** Proxies by the scheme of the base URL; default none. Never used for this machine. */
  readonly proxy?: ProxySettings;
  /** The access token, or where to get it. It is never written anywhere. */
  readonly token: string | TokenSource;
  /**
   * Folder of the key that seals manifest and journal, so that a retry or resume can trust them; default
   * `~/.local/state/eventload`.
   */
  readonly stateFolder?: string;
  /** Ends the run, which then reads nothing more, waits for what is in flight and records it. */
  readonly signal?: AbortSignal;
  /** Called a few times a second, and at the end of each phase. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Called for everything that is worth a line in a log. */
  readonly onNotice?: (notice: ImportNotice) => void;
  /** Time and randomness; for tests. */
  readonly clock?: Clock;
}

export interface ImportOptions extends SendOptions {
  /**
   * Path of a CSV file, several whose headers agree, bytes that can be read once, such as `process.stdin`, or
   * rows as objects.
   */
  readonly input: Input | Rows;
  /**
   * The value of `meta: input_name`; default the name of the file, or `stdin`. With several files, it is
   * always the name of the row's own file.
   */
  readonly inputName?: string;
  /** Path of the mapping file. */
  readonly mapping: string;
  /** `https://host/prefix` of the service. */
  readonly baseUrl: string;
  /** The name of that address in a configuration file; it is saved with the results. */
  readonly target?: string;
  /** Path of the results CSV; failed rows and manifest go beside it. Default: beside the (first) input. */
  readonly results?: string;
  /**
   * Path of the state of nights, one for each service and input: only keys that differ from what it says are sent.
   * Default none: every row is sent.
   */
  readonly state?: string;
  /** How many keys of the last input may be gone before a night sends nothing; default `10%`. */
  readonly maxGone?: MaxErrors;
  /** How many keys that the service has may be changed before a night sends nothing; default all. */
  readonly maxChanged?: MaxErrors;
  /**
   * Whether to resume an unfinished run with the same results: `never` (the default) refuses to start if
   * there is one, `if-unfinished` resumes it or else starts a new run, `must` refuses if there is none. If the
   * run is complete already, and had the same input, mapping and settings, `if-unfinished` gives its summary.
   */
  readonly resume?: "never" | "if-unfinished" | "must";
}

/** What only a night has, and a check of one. */
export type NightOptions = Pick<ImportOptions, "state" | "maxGone" | "maxChanged">;

/** What is known of the run before, if the seal of its journal or manifest is valid. A resume cannot change it. */
interface SealedOptions {
  readonly mapping?: string;
  readonly baseUrl?: string;
}

/** Settings of the run that a resume continues are in its journal; one that decides on its rows may not differ. */
export interface ResumeOptions extends SendOptions, SealedOptions {
  readonly results: string;
}

export interface RetryOptions
  extends Omit<ImportOptions, keyof SealedOptions | keyof NightOptions | "input">,
    SealedOptions {
  /** Path of failed rows, edited or not, or of the results: then all that did not succeed is sent. */
  readonly input: string;
  /** Path of the results of the account; default beside the input, by its name. */
  readonly results?: string;
  /** Whether to send cells that a program seems to have altered; default no. */
  readonly allowAltered?: boolean;
  /** Whether to put back the account's cells where a program seems to have altered them; default no. */
  readonly restoreAltered?: boolean;
}
