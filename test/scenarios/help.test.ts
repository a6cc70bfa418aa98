import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { scenario } from "./scenario.ts";

const commands = readdirSync("src/cli/commands").map((file) => file.replace(/\.ts$/, ""));

test("The built program measures the words of its help as yargs does with its own packages.", async () => {
  const { eventload, program } = await scenario("awkward-cells");
  for (const command of commands) {
    const help = await program(`${command} --help`);
    expect(help.stdout).toBe((await eventload(`${command} --help`)).stdout);
  }
});
