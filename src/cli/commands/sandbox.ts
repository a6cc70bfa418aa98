import { readFile } from "node:fs/promises";
import { cannotStart, reasonOf } from "../../model/errors.ts";
import type { Command } from "../command.ts";
import { exitStatus } from "../host.ts";
import { sandboxOptions } from "../options/option-list.ts";
import { writeLine } from "../terminal/lines.ts";

export const sandboxCommand: Command = {
  usage: "sandbox",
  summary: "Run a local service for trials; stop it with Ctrl-C",
  options: sandboxOptions,
  examples: [
    ["sandbox --port 8080 --record received.jsonl", "keep what arrives"],
    ["sandbox --fail-rate 0.1 --rate-limit 50/s --seed 7", "misbehave, the same way each time"],
  ],
  async run(args, host) {
    const { describeCounts } = await import("../../sandbox/sandbox-counts.ts");
    const { startSandbox } = await import("../../sandbox/start-sandbox.ts");
    const { stdout, stderr } = host;
    const tokenFile = args.text("token-file");
    const token =
      tokenFile === undefined
        ? undefined
        : await readFile(tokenFile, "utf8").catch((error: unknown) => {
            throw cannotStart("token_unavailable", tokenFile, reasonOf(error));
          });

    let end: (how: "interrupted" | Error) => void = () => {};
    const ended = new Promise<"interrupted" | Error>((resolve) => {
      end = resolve;
    });
    const stopListening = host.onInterrupt(() => end("interrupted"));
    try {
      const sandbox = await startSandbox({
        port: args.number("port"),
        pathPrefix: args.text("prefix"),
        token: token?.trim(),
        recordFile: args.text("record"),
        latencyMs: args.number("latency"),
        failRate: args.number("fail-rate"),
        resetRate: args.number("reset-rate"),
        rateLimitPerSecond: args.number("rate-limit"),
        seed: args.number("seed"),
        onError: (error) => end(error),
      }).catch((error: unknown) => {
        throw cannotStart("option_invalid", "sandbox", whyNot(error, args.number("port")));
      });
      const { url, seed } = sandbox;
      stderr.write(`The sandbox listens at ${url} (seed ${seed}). Ctrl-C ends it.\n`);
      // The address is data: a script reads it from standard output.
      stdout.write(`${url}\n`);
      const how = await ended;
      await sandbox.stop().catch(() => {});
      for (const line of describeCounts(sandbox.counts())) stderr.write(`${line}\n`);
      if (how === "interrupted") return exitStatus.ok;
      writeLine(stderr, `eventload: the record could not be written on: ${reasonOf(how)}`);
      return exitStatus.stopped;
    } finally {
      stopListening();
    }
  },
};

function whyNot(error: unknown, port: number | undefined): string {
  const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
  if (!isTaken) return reasonOf(error);
  return `port ${port} is in use; give another --port, or 0 for any that is free`;
}
