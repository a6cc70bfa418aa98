import type { UnfinishedRun } from "../journal/unfinished-run.ts";
import type { RunFiles } from "../model/run-files.ts";
import type { StopController } from "../model/stop.ts";
import type { ImportPorts } from "./import-ports.ts";
import type { ImportSettings } from "./import-settings.ts";
import type { InputKind } from "./open-rows.ts";

/** What every part of a run goes by. */
export interface RunContext {
  readonly settings: ImportSettings;
  readonly kind: InputKind;
  readonly files: RunFiles;
  /** The run that this one goes on with. */
  readonly unfinished: UnfinishedRun | undefined;
  readonly stop: StopController;
  readonly ports: ImportPorts;
}
