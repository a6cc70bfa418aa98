import { access } from "node:fs/promises";

/** Whether there is a file or folder of that name, as far as can be seen. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
