import { notFound } from "../../errors.ts";
import type { LogDatabase } from "../postgres/log-database.ts";
import { addSnapshotMark, listSnapshotMarks, removeSnapshotMarks } from "../postgres/statements/snapshots.ts";
import { restoreDocumentFile } from "./restore-document.ts";

export interface LoggedSnapshotsOptions {
  readonly database: LogDatabase;
  /** Number of snapshots to keep per document. */
  readonly keep: number;
  readonly now: () => number;
  /** Returns a new id, which sorts by its time. */
  readonly newId: (atMs: number) => string;
}

/**
 * The snapshots of documents of a cluster: marks of commits. Every node has them, and restores their content from the log,
 * which has it for its retention.
 */
export class LoggedSnapshots {
  readonly #options: LoggedSnapshotsOptions;
  /** The last commit of each document whose content is about to be replaced; null until that is known. */
  readonly #replaced = new Map<string, number | null>();

  constructor(options: LoggedSnapshotsOptions) {
    this.#options = options;
  }

  /** Lists the snapshots of a document, newest first. */
  async list(uuid: string): Promise<{ id: string; atMs: number }[]> {
    return (await this.#marks(uuid)).map(({ id, atMs }) => ({ id, atMs }));
  }

  /** The content of a document is about to be replaced: call `compressPending` afterwards. No file is kept. */
  newSnapshotPath(uuid: string): undefined {
    if (this.#options.keep > 0) this.#replaced.set(uuid, null);
  }

  /** The commit before that which replaces the content of a document. */
  replacing(uuid: string, seq: number): void {
    if (this.#replaced.has(uuid)) this.#replaced.set(uuid, seq);
  }

  /** Adds the snapshot of a content that was replaced. */
  async compressPending(uuid: string): Promise<void> {
    const seq = this.#replaced.get(uuid) ?? null;
    this.#replaced.delete(uuid);
    if (seq !== null) await this.#add(uuid, seq);
  }

  /** Writes the content of a snapshot to a new file. @throws AppError `notFound`, `damaged` */
  async decompress(uuid: string, id: string, to: string): Promise<void> {
    const mark = (await this.#marks(uuid)).find((one) => one.id === id);
    const connection = await this.#options.database.bulk();
    const point = mark && { seq: mark.seq };
    const restored = point && (await restoreDocumentFile(connection, { doc: uuid, path: to, point }));
    if (restored?.kind !== "restored") throw notFound("Snapshot not found", "snapshot.not_found");
  }

  /** The log keeps the contents of attachments for its retention, like the snapshots. */
  async contents(): Promise<readonly []> {
    return [];
  }

  /** Removes snapshots. Returns the ids that existed. */
  async remove(uuid: string, ids: readonly string[]): Promise<string[]> {
    return removeSnapshotMarks(await this.#options.database.control(), { doc: uuid, ids });
  }

  async #marks(uuid: string) {
    return listSnapshotMarks(await this.#options.database.control(), uuid);
  }

  async #add(uuid: string, seq: number): Promise<void> {
    const { database, keep, now, newId } = this.#options;
    const atMs = now();
    await addSnapshotMark(await database.control(), { doc: uuid, id: newId(atMs), seq, atMs, keep });
  }
}
