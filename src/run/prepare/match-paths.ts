import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Whether it stands for files that are not known by name. */
export function isPattern(path: string): boolean {
  return /[*?]/.test(path);
}

/** Files whose names fit: `*` is any text, `?` any character, in names of folders too. */
export async function matchPaths(pattern: string): Promise<string[]> {
  const folder = dirname(pattern);
  const shape = new RegExp(
    `^${basename(pattern)
      .replaceAll(/[^\w*?]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`,
    "s",
  );
  const folders = isPattern(folder) ? await matchPaths(folder) : [folder];
  const found: string[] = [];
  for (const one of folders) {
    const names = await readdir(one).catch(() => []);
    for (const name of names) if (shape.test(name)) found.push(join(one, name));
  }
  return found;
}
