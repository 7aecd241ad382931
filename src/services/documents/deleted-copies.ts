/** Copies of documents that another node of a cluster has deleted, or this one before it crashed. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../context.ts";

/** The part of a server that removes copies of deleted documents. */
type Sweeper = Pick<Context, "cluster" | "documents" | "home" | "log" | "replication">;

/**
 * Removes the files of permanently deleted documents from a data folder. Documents that neither the log nor the home
 * database knows stay: the log may have gone back in time.
 * @param uuid the only one to look for; null for all
 */
export async function removeDeletedCopies(
  { cluster, documents, home, log, replication }: Sweeper,
  folder: string,
  uuid: string | null = null,
): Promise<void> {
  const uuids = (await readdir(join(folder, "docs"))).filter((name) => uuid === null || name === uuid);
  const deleted = uuids.length === 0 ? [] : ((await replication?.findDeleted(uuids)) ?? []);
  if (deleted.length === 0) return;
  // The deletion is in home before it is in the log.
  await cluster?.freshHome();
  const known = new Set(home.documents.allUuids());
  const removed = deleted.filter((one) => !known.has(one));
  for (const one of removed) await documents.remove(one);
  if (removed.length > 0) log.info("cluster.deleted_copies_removed", { documents: removed.length });
}
