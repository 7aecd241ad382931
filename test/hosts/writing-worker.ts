/** A thread that never stops adding files to a folder, as long as that exists. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { workerData } from "node:worker_threads";

const { folder } = workerData as { folder: string };
for (let count = 0; ; count++) {
  const path = join(folder, String(count % 8));
  try {
    writeFileSync(path, "begun");
  } catch {
    // The folder is removed.
    continue;
  }
  if (count % 8 < 7) rmSync(path, { force: true });
}
