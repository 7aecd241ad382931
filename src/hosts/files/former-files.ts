/** The files that upgrades of documents leave. Without the code of upgrades, which a server loads only in workers. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { formerFile } from "../../doc/file-copy.ts";

/** Deletes the former files of documents that were upgraded before a time. */
export async function deleteFormerFiles(folder: string, { beforeMs }: { beforeMs: number }): Promise<void> {
  const uuids = await readdir(join(folder, "docs"));
  for (const uuid of uuids) {
    const path = formerFile(join(folder, "docs", uuid, "document.grist"));
    // The upgrade changed the file's links, which sets this time; its modification is the document's last change.
    const { ctimeMs } = (await stat(path).catch(ignoreMissing)) ?? {};
    if (ctimeMs !== undefined && ctimeMs < beforeMs) await rm(path, { force: true });
  }
}

function ignoreMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
  throw error;
}
