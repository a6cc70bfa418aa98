import { didYouMean } from "./did-you-mean.ts";
import type { Host } from "./host.ts";
import { toVariable } from "./option.ts";
import type { Setting } from "./setting.ts";

/** Environment variables of ours that are no options. */
const otherVariables = ["EVENTLOAD_TOKEN"];

/** What the environment says (`EVENTLOAD_BASE_URL`), by the names of the options. */
export function readEnvironment(
  env: Host["env"],
  options: readonly string[],
): { readonly settings: ReadonlyMap<string, Setting>; readonly warnings: readonly string[] } {
  const settings = new Map<string, Setting>();
  const warnings: string[] = [];
  const variables = options.map(toVariable);
  for (const [name, value = ""] of Object.entries(env)) {
    // A blank variable is how many a script says that there is none.
    if (!name.startsWith("EVENTLOAD_") || value.trim() === "") continue;
    const option = options[variables.indexOf(name)];
    if (option !== undefined) {
      settings.set(option, { value, origin: "environment", place: name });
    } else if (!otherVariables.includes(name)) {
      warnings.push(`${name} is no setting of eventload${didYouMean(name, variables)}`);
    }
  }
  return { settings, warnings };
}
