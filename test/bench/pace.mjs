// `npm run bench:pace`: how well delivery finds the limits of simulated services, on a virtual clock. A model that misses
// its target is marked, and the exit status is 1. Arguments are parts of the names of models; `--seed 2` is another
// chance.
import { pathToFileURL } from "node:url";
import { build } from "rolldown";

await build({
  input: "test/pace/main.ts",
  platform: "node",
  external: /^[^./]/,
  logLevel: "silent",
  output: { file: "build/pace.mjs" },
});
await import(pathToFileURL("build/pace.mjs").href);
