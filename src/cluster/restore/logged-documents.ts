import { addSnapshotMark } from "../postgres/statements/snapshots.ts";
import { readDocument } from "../postgres/statements/snapshot.ts";
import { openLogForReading, type ReadableLog } from "./open-log.ts";
import { restoreDocumentFile } from "./restore-document.ts";

/** The documents in a log, read without owning them; for backups of a cluster. */
export class LoggedDocuments implements AsyncDisposable {
  readonly #log: ReadableLog;

  private constructor(log: ReadableLog) {
    this.#log = log;
  }

  /** @throws AppError with one sentence if the database has no log, or cannot be reached */
  static async open(url: string): Promise<LoggedDocuments> {
    return new LoggedDocuments(await openLogForReading(url));
  }

  /** Identifies the newest content of a document; null if the log does not have it. */
  async version(doc: string): Promise<string | null> {
    return (await this.#newest(doc))?.version ?? null;
  }

  /**
   * Writes the newest content of a document to a new file.
   * @returns its version; null if the log does not have it
   * @throws AppError `damaged`
   */
  async fetch(doc: string, path: string): Promise<string | null> {
    const newest = await this.#newest(doc);
    if (!newest) return null;
    const { connection } = this.#log;
    const { kind } = await restoreDocumentFile(connection, { doc, path, point: { seq: newest.seq } });
    return kind === "restored" ? newest.version : null;
  }

  /** Adds a snapshot of a version, unless it is the newest one's. */
  async markSnapshot(doc: string, version: string, mark: { id: string; atMs: number; keep: number }): Promise<void> {
    const seq = Number(version.split("-")[1]);
    await addSnapshotMark(this.#log.connection, { doc, seq, ...mark });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#log[Symbol.asyncDispose]();
  }

  #newest(doc: string): Promise<{ seq: number; version: string } | null> {
    return readDocument(this.#log.connection, doc, async (snapshot) => {
      const { head: seq, deletedAtMs } = snapshot.state;
      if (deletedAtMs !== null) return null;
      const row = await snapshot.row(seq);
      const chain = row?.checksum ?? (await snapshot.bases()).find((base) => base.seq === seq)?.chain;
      // The chain of checksums identifies all that was ever appended.
      return chain ? { seq, version: `log-${seq}-${Buffer.from(chain).toString("hex")}` } : null;
    });
  }
}
