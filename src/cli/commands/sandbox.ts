import { readFile } from "node:fs/promises";
import { cannotStart, reasonOf } from "../../model/errors.ts";
import { outage, path, rate, share, text, timeSpan, wholeNumber } from "../../model/value-types.ts";
import type { Command } from "../command.ts";
import { asTyped, exitStatus, firstInterrupt } from "../host.ts";
import { serviceOption } from "../options/option-list.ts";
import { optionsIn } from "../options/option-types.ts";
import { say } from "../terminal/lines.ts";

const misbehaviour = optionsIn("Misbehaviour");

export const sandboxCommand: Command = {
  usage: "sandbox",
  summary: "Run a local service for trials; stop it with Ctrl-C",
  options: {
    port: serviceOption("Port to listen on", wholeNumber(0, 65_535), {
      default: "any that is free",
    }),
    prefix: serviceOption("Path prefix of the base URL, such as /tenant-a", text("path")),
    "token-file": serviceOption("Accept only the token in this file", path, {
      default: "any token",
    }),
    record: serviceOption("Append what is accepted to this file, a JSON object a line", path),
    "reject-rate": misbehaviour("Share of events rejected with 422, from 0 to 1", share),
    "fail-rate": misbehaviour(
      "Share of requests answered 500, 502, 503 or 504, from 0 to 1",
      share,
    ),
    "reset-rate": misbehaviour("Share of requests whose connection is reset, from 0 to 1", share),
    "hang-rate": misbehaviour("Share of requests that are never answered, from 0 to 1", share),
    outage: misbehaviour(
      "Answer 503 for a time, from a time after the first request: 20s@60s",
      outage,
    ),
    latency: misbehaviour("Wait this long before each answer, such as 50ms", timeSpan()),
    "rate-limit": misbehaviour(
      "Accept this many requests, such as 50/s, and answer 429 to more",
      rate,
    ),
    seed: misbehaviour("The same seed misbehaves in the same way", wholeNumber(0, 2 ** 32 - 1), {
      default: "random",
    }),
  },
  examples: [
    ["sandbox --port 8080", "open the address that it prints in a browser to see what arrives"],
    ["sandbox --reject-rate 0.05 --fail-rate 0.1 --seed 7", "misbehave, the same way each time"],
    ["sandbox --outage 20s@60s", "be down for 20 s, from 60 s after the first request"],
  ],
  async run(args, host) {
    const { describeCounts } = await import("../../sandbox/sandbox-counts.ts");
    const { startSandbox } = await import("../../sandbox/start-sandbox.ts");
    const tokenFile = args.text("token-file");
    const token =
      tokenFile === undefined
        ? undefined
        : await readFile(tokenFile, "utf8").catch((error: unknown) => {
            throw cannotStart("token_unavailable", tokenFile, reasonOf(error));
          });

    const outage = args.text("outage");
    const [forMs = 0, afterMs = 0] = outage?.split("@").map(Number) ?? [];
    const { interrupted, stopListening } = firstInterrupt(host);
    try {
      const sandbox = await startSandbox({
        port: args.number("port"),
        pathPrefix: args.text("prefix"),
        token: token?.trim(),
        recordFile: args.text("record"),
        latencyMs: args.number("latency"),
        rejectRate: args.number("reject-rate"),
        failRate: args.number("fail-rate"),
        resetRate: args.number("reset-rate"),
        hangRate: args.number("hang-rate"),
        outage: outage === undefined ? undefined : { forMs, afterMs },
        rateLimitPerSecond: args.number("rate-limit"),
        seed: args.number("seed"),
        program: asTyped("eventload import", host).replace(" import", ""),
      }).catch((error: unknown) => {
        throw cannotStart("option_invalid", "sandbox", whyNot(error, args.number("port")));
      });
      const { url, pageUrl, seed } = sandbox;
      say(host, `The sandbox listens at ${url} (seed ${seed}). Ctrl-C ends it.`);
      say(host, `Open ${pageUrl} in a browser: it shows what arrives and what is answered.`);
      // The address is data: a script reads it from standard output.
      host.stdout.write(`${url}\n`);
      await interrupted;
      await sandbox.stop();
      for (const line of describeCounts(sandbox.counts())) say(host, line);
      return exitStatus.ok;
    } finally {
      stopListening();
    }
  },
};

function whyNot(error: unknown, port: number | undefined): string {
  if ((error as NodeJS.ErrnoException).code === "EADDRINUSE")
    return `port ${port} is in use; give another --port, or 0 for any that is free`;
  return reasonOf(error).replace("pathPrefix", "--prefix");
}
