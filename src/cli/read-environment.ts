import { suggest } from "../model/suggest.ts";
import type { Host } from "./host.ts";
import { toVariable } from "./option.ts";
import type { Setting } from "./setting.ts";

/** Environment variables of ours that are no options. */
const otherVariables = ["EVENTLOAD_TOKEN"];

const prefix = "EVENTLOAD_";

/** Only what follows the prefix tells one from another. */
function mend(name: string, variables: readonly string[]): string {
  const own = [...otherVariables, ...variables].map((one) => one.slice(prefix.length));
  const meant = suggest(name.slice(prefix.length), own);
  return meant === undefined
    ? "the help of each command names those there are"
    : `did you mean ${prefix}${meant}?`;
}

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
    if (!name.startsWith(prefix) || value.trim() === "") continue;
    const option = options[variables.indexOf(name)];
    if (option !== undefined) {
      settings.set(option, { value, origin: "environment", place: name });
    } else if (!otherVariables.includes(name)) {
      warnings.push(
        `${name} is no setting of eventload, and does nothing; ${mend(name, variables)}`,
      );
    }
  }
  return { settings, warnings };
}
