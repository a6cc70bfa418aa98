import { createRequire } from "node:module";

/** Undici, loaded when events are about to be sent: it takes a third of a start, and a night may send nothing. */
export function undici(): typeof import("undici") {
  return createRequire(import.meta.url)("undici");
}
