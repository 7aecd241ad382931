import { existsSync } from "node:fs";
import type { Log } from "../../lib/observability/log.ts";
import { syncToDisk } from "../../lib/sync-to-disk.ts";
import type { LogDatabase } from "../postgres/log-database.ts";
import type { DatabaseIdentity } from "../protocol/log-types.ts";
import type { StoppingEffect } from "./document-log.ts";
import type { PreparedCopy } from "./handed-over.ts";
import type { LocalDocuments } from "./local-documents.ts";
import { fileMark, PositionNoteWriter } from "./position-note.ts";
import { moveAside, type Preparation, prepareFile, prepareOpenFile } from "./prepare-file.ts";
import { divergedError } from "./refusals.ts";
import { isUndecided, keepUndecided, markDecided } from "./undecided.ts";

export interface LocalCopiesOptions {
  readonly database: LogDatabase;
  readonly local: LocalDocuments;
  readonly bootId: string;
  readonly divergedFolder: string;
  readonly log: Log;
}

/** The files of documents in the data folder, before and after this node owns them. */
export class LocalCopies {
  readonly #options: LocalCopiesOptions;
  readonly #prepared = new Map<string, PreparedCopy>();

  constructor(options: LocalCopiesOptions) {
    this.#options = options;
  }

  /** @throws AppError `log.diverged` while an administrator has to decide about the document */
  requireDecided(doc: string): void {
    if (isUndecided(this.#options.divergedFolder, doc)) throw divergedError();
  }

  /** The document was deleted. */
  markDecided(doc: string): void {
    markDecided(this.#options.divergedFolder, doc);
  }

  /** Gives a closed file the content at the head of its log, and reports what that took. */
  async prepare(doc: string, identity: DatabaseIdentity): Promise<Preparation> {
    const { database, local, bootId, divergedFolder, log } = this.#options;
    const start = performance.now();
    this.#prepared.delete(doc);
    const connection = await database.bulk();
    const options = {
      connection,
      doc,
      files: local.files(doc),
      identity,
      bootId,
      divergedFolder,
      recover: local.recover,
    };
    const keptOpen = local.keptOpen?.(doc);
    const prepared = keptOpen ? await prepareOpenFile(options, keptOpen) : await prepareFile(options);
    if (prepared.kind === "diverged") return prepared;
    const { how, setAside, mayHaveLost } = prepared;
    if (mayHaveLost) log.warn("cluster.may_have_lost", { document: doc, keptAs: setAside });
    if (how !== "used" || setAside !== null) {
      const ms = Math.round(performance.now() - start);
      log.info("cluster.document_prepared", { document: doc, how, setAside, ms });
    }
    return prepared;
  }

  /** As `prepare`, for a document that another node owns and is about to hand over; see `takePrepared`. */
  async refresh(doc: string, identity: DatabaseIdentity): Promise<void> {
    const { local, bootId } = this.#options;
    const prepared = await this.prepare(doc, identity);
    if (prepared.kind === "diverged") return;
    const files = local.files(doc);
    const { head: position, bytesSinceBase } = prepared;
    const acknowledged = { epoch: prepared.epoch, ...position };
    const note = new PositionNoteWriter(files, { bootId, acknowledged, identity });
    const mark = fileMark(files.path, { isClean: true });
    this.#prepared.set(doc, { path: files.path, note, position, bytesSinceBase, identity, mark });
  }

  /** Returns the copy that `refresh` has left, once; null for none. One that was changed since is rebuilt later. */
  takePrepared(doc: string): PreparedCopy | null {
    const copy = this.#prepared.get(doc);
    this.#prepared.delete(doc);
    if (!copy || fileMark(copy.path, { isClean: true }) === copy.mark) return copy ?? null;
    copy.note.markChanging();
    return null;
  }

  /** Copies of documents that this node did not get are closed and synced, as far as nothing has changed them. */
  close(): void {
    for (const doc of this.#prepared.keys()) {
      const copy = this.takePrepared(doc);
      if (!copy) continue;
      syncToDisk(copy.path);
      copy.note.markClean();
    }
  }

  /** Closes the file of a document whose log has stopped, and leaves it where it belongs. */
  async finish(doc: string, note: PositionNoteWriter, effect: StoppingEffect): Promise<void> {
    const { local, divergedFolder, log } = this.#options;
    const files = local.files(doc);
    local.stopped?.(doc, { isComplete: effect.kind === "closed" });
    // No request may open the file before it is where it belongs.
    await local.whileClosed(doc, () => {
      if (effect.kind === "closed") {
        // With the write-ahead log, which could not be emptied while something read the file.
        for (const path of [files.path, `${files.path}-wal`]) if (existsSync(path)) syncToDisk(path);
        note.markClean();
      }
      const isAhead = effect.kind === "fenced" && effect.isAhead;
      if (isAhead && !local.keptOpen?.(doc)) moveAside(files, { doc, divergedFolder });
    });
    if (effect.kind === "diverged") this.setDiverged(doc, effect.reason);
    if (effect.kind === "fenced") log.warn("cluster.document_fenced", { document: doc, isAhead: effect.isAhead });
  }

  /** Keeps the file for the decision of an administrator. */
  setDiverged(doc: string, reason: string): void {
    const { divergedFolder, local, log } = this.#options;
    const move = () => moveAside(local.files(doc), { doc, divergedFolder });
    const keptAs = keepUndecided(divergedFolder, doc, reason, move);
    log.error("cluster.log_went_backwards", { document: doc, reason, keptAs });
  }
}
