import { createRequire } from "node:module";

/** Luxon, loaded when a mapping first needs it: few do, and it takes as long as the rest of the mapping's code. */
export function luxon(): typeof import("luxon") {
  return createRequire(import.meta.url)("luxon");
}
