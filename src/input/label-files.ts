import { resolve, sep } from "node:path";

/**
 * What each of several files is called: its name, with as many of the folders above it as tell it
 * from others of that name. It does not depend on the working directory, so that a run that goes on
 * from elsewhere calls them the same.
 *
 * @param paths of files that differ
 */
export function labelFiles(paths: readonly string[]): string[] {
  const parts = paths.map((path) => resolve(path).split(sep));
  const lengths = parts.map(() => 1);
  const labelAt = (at: number) => parts[at]?.slice(-(lengths[at] ?? 1)).join("/") ?? "";
  for (;;) {
    const labels = parts.map((_, at) => labelAt(at));
    const times = new Map<string, number>();
    for (const label of labels) times.set(label, (times.get(label) ?? 0) + 1);
    const alike = labels.flatMap((label, at) => {
      const isWhole = (lengths[at] ?? 0) >= (parts[at]?.length ?? 0);
      return (times.get(label) ?? 0) > 1 && !isWhole ? [at] : [];
    });
    if (alike.length === 0) return labels;
    for (const at of alike) lengths[at] = (lengths[at] ?? 0) + 1;
  }
}
