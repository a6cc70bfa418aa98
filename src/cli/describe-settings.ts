import { CannotStartError } from "../model/errors.ts";
import type { Arguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import type { Host } from "./host.ts";
import { toKey } from "./option.ts";
import type { Origin, Setting } from "./setting.ts";
import { allowsHttp, tokenSource } from "./token-source.ts";

/** What is in force for one option, and why. */
export interface SettingInForce {
  readonly key: string;
  /** Nothing where there is no value. */
  readonly value: string | undefined;
  readonly origin: Origin | "default" | "not given";
  /** The place of the value as a person would look it up. */
  readonly place: string;
}

/** The value of each option with where it comes from; secrets are masked. */
export function describeSettings(
  options: Command["options"],
  args: Arguments,
  env: Host["env"],
): SettingInForce[] {
  const inForce = Object.entries(options).map(([name, option]): SettingInForce => {
    const key = toKey(name);
    const setting = args.setting(name);
    if (name === "allow-http" && args.flag(name) && !allowsHttp(args, env)) {
      const place = `${setting?.place} counts only for a token that is named in the same file`;
      return { key, value: "false", origin: "default", place };
    }
    if (setting !== undefined) {
      const { origin, place } = setting;
      const value = option.takesProgram
        ? withoutArguments(setting)
        : withoutPassword(setting.value);
      return { key, value, origin, place };
    }
    const otherwise = option.default ?? (option.kind === "flag" ? "false" : undefined);
    const origin = otherwise === undefined ? "not given" : "default";
    return { key, value: otherwise, origin, place: origin };
  });
  return [...inForce, tokenInForce(args, env)];
}

const mask = "********";

function tokenInForce(args: Arguments, env: Host["env"]): SettingInForce {
  const key = "token";
  const none = { key, value: undefined, origin: "not given" } as const;
  try {
    const { kind } = tokenSource(args, env, args.text("base-url"));
    if (kind === "value") {
      return { key, value: mask, origin: "environment", place: "EVENTLOAD_TOKEN" };
    }
    const setting = args.setting(`token-${kind}`);
    return setting === undefined
      ? { ...none, place: "not given" }
      : { key, value: mask, origin: setting.origin, place: setting.place };
  } catch (error) {
    if (!(error instanceof CannotStartError)) throw error;
    return { ...none, place: error.message };
  }
}

/** What a token command is given may be a secret as well. */
function withoutArguments({ value, list, folder }: Setting): string {
  const [program = "", ...rest] = list ?? value.trim().split(/\s+/);
  const started = folder === undefined ? "" : ` (in ${folder})`;
  return `${rest.length === 0 ? program : `${program} ${mask}`}${started}`;
}

function withoutPassword(value: string): string {
  return value.replace(/(?<=\/\/)[^/@\s]*(?=@)/, mask);
}
