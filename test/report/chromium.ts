import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Where Chromium is, if this machine has one: Debian's, or what `CHROMIUM_PATH` names. */
export const chromiumPath = [process.env.CHROMIUM_PATH, "/usr/bin/chromium"].find(
  (path) => path !== undefined && path !== "" && existsSync(path),
);

/** Root may run it without its sandbox only, and on a closed network it should ask for nothing. */
const args = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath ?? "", args });
}
