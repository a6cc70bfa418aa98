import type { ProxySettings } from "../../model/proxy-settings.ts";
import {
  keptSettings,
  type RunSettings,
  type Setting,
  type Settings,
  settings,
  settingsFrom,
  settingText,
  usualText,
} from "../../model/run-settings.ts";
import type { ImportOptions } from "../../run/options/import-options.ts";
import { defined } from "../../run/options/import-settings.ts";
import type { Host } from "../host.ts";
import { type Arguments, isInFile, isTyped } from "./arguments.ts";
import { stateFolder } from "./earlier-run.ts";
import { toKey } from "./option-types.ts";

/** What a run that continues or retries another takes from that one, unless it is typed. */
export type KeepsSettings = "all" | "sending" | "nothing";

/** Whether the value of the run before counts. What no flag sets can be said anew in a file that is typed. */
function isKept({ keptAs, flag, only }: Setting, keeps: KeepsSettings, args: Arguments): boolean {
  const places = only === "file" ? [flag, "config"] : [flag];
  if (keeps === "nothing" || places.some((name) => isTyped(args.given(name)))) return false;
  return keptAs === "sending" || (keeps === "all" && keptAs === "service");
}

/** What a file allows its own token goes with that, and is no setting of the run. */
function isOfToken({ name, flag }: Setting, args: Arguments): boolean {
  return name === "allowHttp" && isInFile(args.given(flag));
}

/**
 * How events are to be sent. Only what was given: what is left out has its default elsewhere, or is that of
 * the run before.
 */
export function sendOptionsOf(
  args: Arguments,
  env: Host["env"],
  keeps: KeepsSettings,
): Omit<CommonOptions, "token"> {
  const given = settingsGiven(
    args,
    (one) => one.group !== "Input" && !isKept(one, keeps, args) && !isOfToken(one, args),
  );
  return defined({
    ...given,
    proxy: proxySettings(env),
    caFiles: caFiles(given, env),
    stateFolder: stateFolder(env),
  });
}

/** A sentence about the settings of the configuration file that do not count, as the run before had others. */
export function describeOverruled(
  before: Partial<RunSettings>,
  args: Arguments,
  keeps: KeepsSettings,
): string[] {
  const isOverruled = (one: Setting) => isKept(one, keeps, args) && !isOfToken(one, args);
  const now = keptSettings(settingsGiven(args, isOverruled));
  const had = settings.flatMap((one) => {
    const { key, flag } = one;
    if (args.given(flag) === undefined || !isOverruled(one) || !(key in before)) return [];
    const was = settingText(one, before[key]);
    if (was === settingText(one, now[key])) return [];
    return [`${toKey(flag)} (${was ?? usualText(one) ?? "not given"})`];
  });
  if (had.length === 0) return [];
  return [
    `eventload.yaml does not change what the import had: ${had.join(", ")}. To change it, type the option, or name the file with --config where there is none.`,
  ];
}

/** The settings that were given, as a program gives them. */
export function settingsGiven(
  args: Pick<Arguments, "value">,
  counts: (setting: Setting) => boolean,
): Settings {
  return settingsFrom((one) => {
    const value = args.value(one.flag);
    if (value === false || !counts(one)) return undefined;
    return value === true ? !one.default : value;
  });
}

/** The variables that most programs heed; as in those, the name in lower case counts more. */
function proxySettings(env: Host["env"]): ProxySettings {
  const find = (name: string) => env[name.toLowerCase()] || env[name] || undefined;
  return defined({ http: find("HTTP_PROXY"), https: find("HTTPS_PROXY"), no: find("NO_PROXY") });
}

/** Certificates that are given take the place of those that Node adds, so both are given. */
function caFiles({ caFiles: given }: Settings, env: Host["env"]): readonly string[] | undefined {
  return given === undefined ? undefined : [given, env.NODE_EXTRA_CA_CERTS || []].flat();
}

/** What the commands that send have in common: all but where input and mapping come from. */
export type CommonOptions = Omit<ImportOptions, "input" | "mapping" | "baseUrl" | "results">;
