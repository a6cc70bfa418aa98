import { resolve } from "node:path";
import { systemClock } from "../../model/clock.ts";
import { cannotStart } from "../../model/errors.ts";
import type { ImportNotice } from "../../model/run-events.ts";
import { defaultResultsPath, whyNotResults } from "../../model/run-files.ts";
import {
  type Settings,
  type UsualSettings,
  usualForPrograms,
  whyNotGiven,
} from "../../model/run-settings.ts";
import type { TokenSource } from "../../model/token-source.ts";
import { errorLimit, oneOf } from "../../model/value-types.ts";
import type { ImportOptions, NightOptions } from "./import-options.ts";
import { type Input, isStream } from "./input.ts";
import { nightResults } from "./results-name.ts";

export type ImportSettings = Omit<
  ImportOptions,
  keyof UsualSettings | keyof typeof defaults | "input" | "token" | "results" | "caFiles"
> &
  UsualSettings &
  Required<Pick<ImportOptions, keyof typeof defaults>> & {
    readonly input: Input;
    readonly token: TokenSource;
    /** Absolute paths. */
    readonly caFiles: readonly string[];
    readonly results: string;
    readonly allowAltered?: boolean;
    readonly restoreAltered?: boolean;
  };

/** What counts where an option is not given that a run does not keep. */
const defaults = {
  resume: "never",
  proxy: {},
  reading: {},
  clock: systemClock,
  onNotice: (_: ImportNotice) => {},
} satisfies Partial<ImportOptions>;

/** @throws CannotStartError if an option makes no sense */
export function withDefaults(
  options: Omit<ImportOptions, "input"> & { readonly input: Input },
): ImportSettings {
  refuseOptions(options);
  const { input, token } = options;
  const first = isStream(input) ? "stdin" : ([input].flat()[0] ?? "");
  return {
    ...usualForPrograms,
    ...defaults,
    results:
      options.state === undefined
        ? defaultResultsPath(first)
        : nightResults(first, (options.clock ?? systemClock).date()),
    ...defined(options),
    token: typeof token === "string" ? { kind: "value", value: token, from: "the options" } : token,
    caFiles: [options.caFiles ?? []].flat().map((path) => resolve(path)),
  } as ImportSettings;
}

/**
 * Refuses options that make no sense, as the command line does for its flags.
 *
 * @throws CannotStartError naming the option
 */
export function refuseOptions(options: ImportOptions): void {
  const { mapping, baseUrl, token, results, resume = defaults.resume } = options;
  if (typeof baseUrl !== "string") throw cannotStart("base_url_missing");
  if (token === undefined || token === "") throw cannotStart("token_missing");
  if (typeof token !== "string" && !["value", "file", "command"].includes(token?.kind)) {
    throw cannotStart("option_invalid", "token", "it is neither a text nor a file or command");
  }
  if (typeof mapping !== "string") {
    throw cannotStart("option_invalid", "mapping", "it is not the path of a file");
  }
  const why = oneOf("", "never", "if-unfinished", "must").why(resume);
  if (why !== undefined) throw cannotStart("option_invalid", "resume", why);
  const whyNoName = results === undefined ? undefined : whyNotResults(results);
  if (whyNoName !== undefined) throw cannotStart("option_invalid", "results", whyNoName);
  checkSettings(options);
}

/** Checks the settings that a run keeps, and what a check has too. */
export function checkSettings(given: Settings & NightOptions): void {
  const found = whyNotGiven(given);
  if (found?.why !== undefined) throw cannotStart("option_invalid", found.option, found.why);
  for (const option of ["maxGone", "maxChanged"] as const) {
    const why = errorLimit.why(given[option] ?? 0);
    if (why !== undefined) throw cannotStart("option_invalid", option, why);
  }
}

/** Without the members that are undefined: an option that is there and undefined is one that was not given. */
export function defined<Members extends object>(members: Members) {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as {
    [name in keyof Members as undefined extends Members[name] ? never : name]: Members[name];
  } & {
    [name in keyof Members as undefined extends Members[name] ? name : never]?: Exclude<
      Members[name],
      undefined
    >;
  };
}
