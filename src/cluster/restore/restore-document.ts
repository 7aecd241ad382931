import { AppError } from "../../errors.ts";
import { Database } from "../../sqlite/database.ts";
import { DamagedLogError, rebuildFile } from "../log/rebuild-file.ts";
import type { Connection } from "../postgres/connection.ts";
import { type DocumentSnapshot, readDocument } from "../postgres/statements/snapshot.ts";

/** Which content of a document is restored: the last one at a time, or the one of a commit. */
export type RestorePoint = { readonly atMs: number } | { readonly seq: number };

export type RestoreOutcome =
  | { readonly kind: "restored"; readonly seq: number }
  /** The log has no content of the document at this point: it did not exist yet, or is older than the retention. */
  | { readonly kind: "missing" };

/**
 * Writes the file of a document as it was at a point, verifying every checksum on the way. Reads the log only.
 * @param path a new file
 * @throws AppError `damaged` if a checksum does not match
 */
export async function restoreDocumentFile(
  connection: Connection,
  { doc, path, point }: { readonly doc: string; readonly path: string; readonly point: RestorePoint },
): Promise<RestoreOutcome> {
  const restored = await readDocument(connection, doc, (snapshot) => rebuildAt(snapshot, { doc, path, point }));
  if (!restored || restored.kind === "missing") return { kind: "missing" };
  leaveWalMode(path);
  return restored;
}

async function rebuildAt(
  snapshot: DocumentSnapshot,
  { doc, path, point }: { readonly doc: string; readonly path: string; readonly point: RestorePoint },
): Promise<RestoreOutcome> {
  const seq = "seq" in point ? point.seq : await snapshot.lastSeqAt(point.atMs);
  if (seq === null || seq > snapshot.state.head) return { kind: "missing" };
  const base = (await snapshot.bases()).findLast((each) => each.seq <= seq);
  if (!base) return { kind: "missing" };
  try {
    const reached = await rebuildFile(snapshot, base, path, { seq });
    // Numbers that a replaced file skipped never were a content.
    return reached.seq === seq ? { kind: "restored", seq } : { kind: "missing" };
  } catch (error) {
    if (!(error instanceof DamagedLogError)) throw error;
    throw new AppError("damaged", `the log of document ${doc} is damaged: ${error.message}`, { cause: error });
  }
}

/** Closed documents are single files that programs without a log can open. */
function leaveWalMode(path: string): void {
  using db = new Database(path);
  db.exec("pragma journal_mode = delete");
}
