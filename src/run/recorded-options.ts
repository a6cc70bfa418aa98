import { shellWord } from "../model/shell-word.ts";
import type { Manifest } from "../results/manifest.ts";
import { defaults } from "./import-settings.ts";

/**
 * How a run was sent, as it can be typed for the next one: as far as the manifest keeps it and the next
 * command does not know it by itself. Which configuration file there was is not kept.
 */
export function recordedOptions({ target, options }: Manifest): string[] {
  const unless = (usual: unknown, value: number | string, text: string) =>
    value === usual ? [] : [text];
  const { rate_per_second: rate, max_errors: maxErrors } = options;
  return [
    ...(target === undefined ? [] : [`--target ${shellWord(target)}`]),
    ...(rate === null ? [] : [`--rate ${rate}/s`]),
    ...unless(defaults.concurrency, options.concurrency, `--concurrency ${options.concurrency}`),
    ...(options.adaptive ? [] : ["--no-adaptive"]),
    ...unless(defaults.maxAttempts, options.max_attempts, `--max-attempts ${options.max_attempts}`),
    ...unless(defaults.timeoutMs, options.timeout_ms, `--timeout ${options.timeout_ms / 1000}`),
    ...unless(
      defaults.maxOutageMs,
      options.max_outage_ms,
      `--max-outage ${options.max_outage_ms / 1000}s`,
    ),
    ...(maxErrors === null ? [] : [`--max-errors ${shellWord(maxErrors)}`]),
    ...unless(defaults.durability, options.durability, `--durability ${options.durability}`),
  ];
}
