/** Where the value of an option stands. */
export type Origin = "command line" | "earlier run" | "environment" | "target" | "configuration";

/** The value of an option as it was given. */
export interface Setting {
  readonly value: string;
  /** The same in its parts, where a list was given. */
  readonly list?: readonly string[];
  readonly origin: Origin;
  /** Where the target was named that it comes from. */
  readonly namedAt?: Exclude<Origin, "target">;
  /** Where a program that it names is started, if not in the working directory. */
  readonly folder?: string;
  /** The place as a message names it: `--rate`, `EVENTLOAD_RATE` or `eventload.yaml: rate`. */
  readonly place: string;
}

const weights = { "command line": 6, "earlier run": 5, environment: 4, configuration: 1 };

/**
 * A target that is typed, or that of the run before, counts more than the environment, as its address
 * and token belong together; what is said one by one at the same place counts more than it.
 */
const weightsOfTargets = {
  "command line": 5,
  "earlier run": 5,
  environment: 3,
  configuration: 2,
};

/** Of two settings of an option, the one that weighs more counts. */
export function weightOf({ origin, namedAt = "configuration" }: Setting): number {
  return origin === "target" ? weightsOfTargets[namedAt] : weights[origin];
}

/** What the environment says one by one weighs so much. */
export const weightOfEnvironment = weights.environment;

/** Whether nobody has chosen it for this very command: it stands in the configuration file. */
export function isFromFile(setting: Setting | undefined): boolean {
  return ["configuration", "earlier run"].includes(chosenAt(setting));
}

/** Whether it was typed for this very command, or is of a target that was. */
export function isTyped(setting: Setting | undefined): boolean {
  return chosenAt(setting) === "command line";
}

function chosenAt(setting: Setting | undefined): string {
  if (setting === undefined) return "";
  return setting.origin === "target" ? (setting.namedAt ?? "configuration") : setting.origin;
}
