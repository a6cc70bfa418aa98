// A service in a process of its own that takes everything. Prints its address; its argument is how long
// it takes for an answer, in milliseconds.
import { answerAll } from "./answer-all.mjs";

const { url } = await answerAll({ latencyMs: Number(process.argv[2] ?? 0) });
console.log(url);
process.on("SIGTERM", () => process.exit());
