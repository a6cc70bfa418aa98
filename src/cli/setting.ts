/** Where the value of an option stands. */
export type Origin = "command line" | "environment" | "target" | "configuration";

/** The value of an option as it was given. */
export interface Setting {
  readonly value: string;
  /** The same in its parts, where a list was given. */
  readonly list?: readonly string[];
  readonly origin: Origin;
  /** Where the target was named that it comes from. */
  readonly namedAt?: Exclude<Origin, "target">;
  /** The place as a message names it: `--rate`, `EVENTLOAD_RATE` or `eventload.yaml: rate`. */
  readonly place: string;
}

const weights = { "command line": 6, environment: 4, configuration: 1 };

/**
 * A target that is typed counts more than the environment, as its address and token belong together;
 * what is said one by one at the same place counts more than it.
 */
const weightsOfTargets = { "command line": 5, environment: 3, configuration: 2 };

/** Of two settings of an option, the one that weighs more counts. */
export function weightOf({ origin, namedAt = "configuration" }: Setting): number {
  return origin === "target" ? weightsOfTargets[namedAt] : weights[origin];
}

/** What the environment says one by one weighs so much. */
export const weightOfEnvironment = weights.environment;

/** Whether nobody has chosen it for this very command: it stands in the configuration file. */
export function isFromFile(setting: Setting | undefined): boolean {
  return setting !== undefined && weightOf(setting) <= weightsOfTargets.configuration;
}
