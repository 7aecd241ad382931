import { existsSync } from "node:fs";
import { join } from "node:path";
import { mayHaveExpired } from "../doc/attachments/attachment-usage.ts";
import { FORMULA_LIMITS, type LoggedCommit, OpenDocument, type OpenDocumentOptions } from "../doc/document.ts";
import { evictCells, evictIndexes } from "../doc/formulas/calculation-cache.ts";
import { refreshClock } from "../doc/formulas/clock-formulas.ts";
import { saveTiming, restoreTiming } from "../doc/formulas/timing-session.ts";
import { openDocumentFile, type OpenFileOptions } from "../doc/open-document.ts";
import { onEventsQueued } from "../doc/webhooks/outbox.ts";
import { AppError } from "../errors.ts";
import type { ClosedFile } from "./document-runtime.ts";
import { excessDocuments } from "./excess-documents.ts";
import type { HeldFile } from "./held-file.ts";
import type { OpenDocumentsOptions } from "./open-documents-options.ts";
import { fileToOpen, isLogLargerThanFile, logFileSize } from "./files/document-files.ts";
import { DocumentIndexing } from "./document-indexing.ts";

/** Idle time after which an unread cursor is closed. */
const CURSOR_IDLE_MS = 20_000;
/** Idle time after which a document's SQLite memory is released. */
const SHRINK_AFTER_MS = 5000;
/** Maximum age of the snapshot of a large response: the rest is then written to a temporary file. */
const SNAPSHOT_MS = 30_000;
/** How long writing temporary files may delay other requests, in milliseconds. */
const COPY_SLICE_MS = 10;
/** Above this size SQLite's own checkpoints did not empty the log, because snapshots were in use. */
const LARGE_LOG_BYTES = 16 * 1024 ** 2;
/** How long a checkpoint waits for snapshots to end, in milliseconds. */
const CHECKPOINT_WAIT_MS = 100;
/** Above this size of the log, or that of the file if it is larger, changes wait for snapshots to end. */
const MAX_LOG_BYTES = 256 * 1024 ** 2;
/** No log grows faster. */
const MAX_LOG_BYTES_PER_MS = 1024 ** 2;

/** Interval for recomputing clock-dependent formulas of an open document. */
const CLOCK_REFRESH_INTERVAL_MS = 3_600_000;

interface Entry {
  readonly document: OpenDocument;
  /** Monotonic time. */
  usedAt: number;
  /** When clock-dependent formulas were last recomputed. */
  clockRefreshedAt: number;
  isShrunk: boolean;
  /** True once its large lookup indexes were dropped, after half of the time until it is closed. */
  hasDroppedIndexes: boolean;
  /** The document's version when it was opened. */
  readonly openedVersion: string;
  /** When the size of the log is read next. */
  logCheckDueAt: number;
  /** True once attachment maintenance was requested: at most once while it is open. */
  isMaintenanceRequested: boolean;
  /** As for `excessDocuments`. */
  isBrief: boolean;
}

interface Retired {
  readonly uuid: string;
  readonly document: OpenDocument;
}

/** Open documents by UUID, in LRU order. */
export class OpenDocuments implements Disposable {
  readonly #options: OpenDocumentsOptions;
  readonly #entries = new Map<string, Entry>();
  /** Documents that other threads have taken over; kept until their cursors here are closed. */
  readonly #retired = new Set<Retired>();
  readonly #indexing: DocumentIndexing;

  constructor(options: OpenDocumentsOptions) {
    this.#options = options;
    const { log, indexBytes: maxBytes } = options;
    this.#indexing = new DocumentIndexing({ log, maxBytes, isShared: options.access !== undefined });
  }

  /** Returns the document if it is open, and marks it as used. */
  find(uuid: string, { isBrief = true } = {}): OpenDocument | undefined {
    const entry = this.#entries.get(uuid);
    if (!entry) return undefined;
    entry.isBrief &&= isBrief;
    entry.usedAt = this.#options.clock.elapsed();
    entry.isShrunk = false;
    entry.hasDroppedIndexes = false;
    this.#entries.delete(uuid);
    this.#entries.set(uuid, entry);
    return entry.document;
  }

  /**
   * Returns the document, opening it if necessary. Closes others above the limit, as `excessDocuments`.
   * @throws AppError `damaged` when its file is missing or unreadable; other documents are not affected
   */
  get(uuid: string, { isBrief = false } = {}): OpenDocument {
    const open = this.find(uuid, { isBrief });
    if (open) return open;
    const { clock, log } = this.#options;
    const start = clock.elapsed();
    const document = this.#open(uuid);
    if (log.isEnabled("debug"))
      log.debug("document.opened", { document: uuid, ms: Math.round(clock.elapsed() - start) });
    this.#indexing.attach(document);
    const state = { isShrunk: false, hasDroppedIndexes: false, isMaintenanceRequested: false, isBrief };
    const times = { usedAt: clock.elapsed(), clockRefreshedAt: clock.now(), logCheckDueAt: 0 };
    this.#entries.set(uuid, { document, openedVersion: document.version, ...times, ...state });
    this.#options.onOpened?.(uuid);
    this.#closeExcess(uuid);
    return document;
  }

  /** Closes a document and its cursors; the next use reopens it. Idempotent. */
  close(uuid: string): void {
    for (const retired of this.#retired) if (retired.uuid === uuid) this.#closeRetired(retired);
    this.#closeEntry(uuid, (document) => document.close());
  }

  /** Call after a read: a reader whose snapshot is used by the cursor of a large response reads nothing else. */
  retireIfStreaming(uuid: string): void {
    if ((this.#entries.get(uuid)?.document.cursors.size ?? 0) > 0) this.handOver(uuid);
  }

  /**
   * Continues to write responses that are read slowly to temporary files.
   * @returns true when more is to be written
   */
  copySlowResponses(): boolean {
    const before = this.#options.clock.elapsed() - SNAPSHOT_MS;
    const options = { folder: join(this.#options.folder, "tmp"), maxMs: COPY_SLICE_MS };
    const documents = [...this.#entries.values(), ...this.#retired];
    return documents.some(({ document }) => document.cursors.copyOlderThan(before, options));
  }

  /** Empties the log into the file, if no snapshot needs it any more. */
  checkpoint(uuid: string): void {
    const document = this.#entries.get(uuid)?.document;
    document?.checkpoint("truncate", { waitMs: CHECKPOINT_WAIT_MS });
  }

  /** As `DocumentExecutor.hold`. */
  hold(uuid: string): HeldFile | null {
    const { commitLog, path } = this.get(uuid);
    if (!commitLog) throw new Error("the documents are not in log mode");
    if (commitLog.isHeld) throw new AppError("conflict", "The document's file is being copied");
    const held = commitLog.hold();
    return held && { ...held, path };
  }

  /** As `DocumentExecutor.endHold`. */
  endHold(uuid: string): boolean {
    return this.#entries.get(uuid)?.document.commitLog?.release() ?? false;
  }

  /**
   * Slows changes down while the log is very large because a snapshot needs it, so that the log does not fill the disk:
   * copying a large file takes longer than the age at which the snapshots of responses end. Call after a change.
   */
  limitLog(uuid: string): void {
    const entry = this.#entries.get(uuid);
    if (!entry || this.#isReader) return;
    const { clock, maxLogBytes = MAX_LOG_BYTES } = this.#options;
    const now = clock.elapsed();
    // Reading the size takes longer than many changes.
    if (now < entry.logCheckDueAt) return;
    const { path } = entry.document;
    const bytes = logFileSize(path);
    if (bytes > maxLogBytes && isLogLargerThanFile(path)) this.checkpoint(uuid);
    entry.logCheckDueAt = now + Math.max(0, maxLogBytes - bytes) / MAX_LOG_BYTES_PER_MS;
  }

  /** Releases a document that another thread also has open; its cursors stay readable to their end. */
  handOver(uuid: string): void {
    this.#closeEntry(uuid, (document) => {
      if (document.cursors.size > 0) this.#retired.add({ uuid, document });
      else document.closeWithoutCheckpoint();
    });
  }

  /** Returns the next chunk of a large answer, as `Cursors.next`. */
  next(uuid: string, cursor: string): Uint8Array | null {
    const retired = this.#retiredWith(uuid, cursor);
    const document = retired?.document ?? this.find(uuid);
    if (!document)
      throw new AppError("document.unavailable", "The document was closed during the request", { retryAfterS: 1 });
    try {
      return document.cursors.next(cursor);
    } finally {
      if (retired) this.#closeRetiredIfUnused(retired);
    }
  }

  /** Closes a cursor. Idempotent. */
  release(uuid: string, cursor: string): void {
    const retired = this.#retiredWith(uuid, cursor);
    (retired?.document ?? this.find(uuid))?.cursors.close(cursor);
    if (retired) this.#closeRetiredIfUnused(retired);
  }

  #retiredWith(uuid: string, cursor: string): Retired | undefined {
    for (const retired of this.#retired) {
      if (retired.uuid === uuid && retired.document.cursors.has(cursor)) return retired;
    }
    return undefined;
  }

  #closeRetiredIfUnused(retired: Retired): void {
    if (retired.document.cursors.size === 0) this.#closeRetired(retired);
  }

  #closeRetired(retired: Retired): void {
    this.#retired.delete(retired);
    retired.document.closeWithoutCheckpoint();
    if (this.#isReader && !this.isOpen(retired.uuid))
      this.#options.onClosed?.(retired.uuid, closedFile(retired.document));
  }

  get #isReader(): boolean {
    return this.#options.access === "read";
  }

  /** True while the document has cursors. */
  isStreaming(uuid: string): boolean {
    const isRetired = [...this.#retired].some((retired) => retired.uuid === uuid);
    return isRetired || (this.#entries.get(uuid)?.document.cursors.size ?? 0) > 0;
  }

  isOpen(uuid: string): boolean {
    return this.#entries.has(uuid) || [...this.#retired].some((retired) => retired.uuid === uuid);
  }

  #closeEntry(uuid: string, close: (document: OpenDocument) => void): void {
    const entry = this.#entries.get(uuid);
    if (!entry) return;
    this.#entries.delete(uuid);
    this.#indexing.detach(entry.document);
    try {
      try {
        if (!this.#isReader) saveTiming(entry.document);
      } finally {
        close(entry.document);
      }
    } catch (error) {
      this.#options.log.error("document.close_failed", { document: uuid, error: String(error) });
    }
    // For a reader this tells whether the file may be replaced.
    if (!this.#isReader || !this.isOpen(uuid)) this.#options.onClosed?.(uuid, closedFile(entry.document));
  }

  /** Closes idle cursors, shrinks the memory of idle documents and closes them. Call it every few seconds. */
  closeIdle(): void {
    const now = this.#options.clock.now();
    const elapsed = this.#options.clock.elapsed();
    this.#indexing.evictUnused(elapsed);
    for (const retired of this.#retired) {
      retired.document.cursors.closeIdleSince(elapsed - CURSOR_IDLE_MS);
      this.#closeRetiredIfUnused(retired);
    }
    for (const [uuid, entry] of this.#entries) {
      entry.document.cursors.closeIdleSince(elapsed - CURSOR_IDLE_MS);
      const idleMs = elapsed - entry.usedAt;
      if (!this.#isReader) this.#maintain(uuid, entry, now);
      const isInUse = entry.document.cursors.size > 0 || isHeld(entry);
      if (idleMs >= this.#options.idleMs && !isInUse) this.#closeOrMaintain(uuid, entry);
      else if (idleMs >= SHRINK_AFTER_MS && !entry.isShrunk) {
        entry.isShrunk = true;
        entry.document.db.exec("pragma shrink_memory");
        evictCells(entry.document.db);
      } else if (idleMs * 2 >= this.#options.idleMs && entry.isShrunk && !entry.hasDroppedIndexes) {
        entry.hasDroppedIndexes = true;
        evictIndexes(entry.document.db);
      }
    }
  }

  #maintain(uuid: string, entry: Entry, now: number): void {
    if (Math.abs(now - entry.clockRefreshedAt) >= CLOCK_REFRESH_INTERVAL_MS) this.#refreshClock(uuid, entry, now);
    const { document } = entry;
    if (isHeld(entry) || logFileSize(document.path) <= LARGE_LOG_BYTES || this.#entries.get(uuid) !== entry) return;
    if (!document.checkpoint("truncate")) this.#options.onLogLarge?.(uuid);
  }

  /** Requests attachment maintenance before an idle document is closed. */
  #closeOrMaintain(uuid: string, entry: Entry): void {
    const { onMaintenanceDue, onCloseDue } = this.#options;
    // Maintenance is requested only once; the next sweep closes the document.
    if (!entry.isMaintenanceRequested && onMaintenanceDue && this.#isMaintenanceDue(entry)) onMaintenanceDue(uuid);
    else if (onCloseDue) onCloseDue(uuid);
    else this.close(uuid);
    entry.isMaintenanceRequested = true;
  }

  #isMaintenanceDue({ document, openedVersion }: Entry): boolean {
    try {
      return mayHaveExpired(document, this.#options.clock.now(), document.version !== openedVersion);
    } catch {
      // The next request for the document reports what is wrong with the file.
      return false;
    }
  }

  #refreshClock(uuid: string, entry: Entry, now: number): void {
    entry.clockRefreshedAt = now;
    const { document } = entry;
    const { version } = document;
    try {
      refreshClock(document);
      if (document.version !== version) this.#options.onRecalculated?.(uuid, document.seenCommit);
    } catch (error) {
      this.#options.log.warn("document.reopened", { document: uuid, error: String(error) });
      this.close(uuid);
    }
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Total size of the write-ahead logs. */
  get logBytes(): number {
    return this.#entries.values().reduce((sum, { document }) => sum + logFileSize(document.path), 0);
  }

  [Symbol.dispose](): void {
    for (const retired of this.#retired) this.#closeRetired(retired);
    for (const uuid of this.#entries.keys()) this.close(uuid);
    this.#indexing[Symbol.dispose]();
  }

  #open(uuid: string): OpenDocument {
    const file = fileToOpen(this.#options, uuid);
    if (!existsSync(file)) throw new AppError("damaged", "The document's file is missing");
    const { durability, clock, history, formulas = FORMULA_LIMITS, queueEvents, pagesUrl, onEvents } = this.#options;
    const { log, slowMs = 0, isPast = false } = this.#options;
    const url = pagesUrl && `${pagesUrl}/${uuid}`;
    const queueOptions = queueEvents === undefined ? { url } : { url, queueEvents };
    let document: OpenDocument | undefined;
    try {
      const slowQueries: OpenDocumentOptions["slowQueries"] = {
        ms: slowMs,
        report: (query) => log.warn("sqlite.slow_query", { database: "document", document: uuid, ...query }),
      };
      const start = clock.elapsed();
      const onUpgraded: OpenFileOptions["onUpgraded"] = ({ from, to }) =>
        log.info("document.upgraded", { document: uuid, from, to, ms: Math.round(clock.elapsed() - start) });
      if (this.#isReader) return new OpenDocument(file, { access: "read", isPast, clock, slowQueries });
      const { handsOffLargeReads = false, isLogged = false, onCommitted } = this.#options;
      const onCommit = isLogged ? (commit: LoggedCommit) => onCommitted?.(uuid, commit) : undefined;
      const fileOptions = {
        durability,
        clock,
        history,
        formulas,
        slowQueries,
        onUpgraded,
        handsOffLargeReads,
        onCommit,
      };
      const indexOptions = { indexes: this.#indexing.options };
      document = openDocumentFile(file, { ...indexOptions, ...fileOptions, ...queueOptions });
      const opened = document;
      if (onEvents) onEventsQueued(opened, () => onEvents(uuid, opened.seenCommit));
      // Read the metadata now, so that a damaged file fails on open.
      document.schema.tables.at(0);
      storeCounter(document);
      restoreTiming(document);
      refreshClock(document);
      return document;
    } catch (error) {
      document?.close();
      this.#options.log.error("document.open_failed", { document: uuid, error: String(error) });
      // A file that is not a database is not the caller's fault.
      if (error instanceof AppError && error.code !== "invalid") throw error;
      throw new AppError("damaged", "The document's file is damaged", { cause: error });
    }
  }

  #closeExcess(justOpened: string): void {
    const canClose = (uuid: string, entry: Entry): boolean =>
      uuid !== justOpened && entry.document.cursors.size === 0 && !isHeld(entry);
    const { maxOpen, onCloseDue = (uuid) => this.close(uuid) } = this.#options;
    for (const [uuid] of excessDocuments(this.#entries, { maxOpen, canClose })) onCloseDue(uuid);
  }
}

const isHeld = ({ document }: Entry): boolean => document.commitLog?.isHeld ?? false;

const closedFile = ({ seenCommit, isClosedCleanly }: OpenDocument): ClosedFile => ({
  count: seenCommit,
  isClean: isClosedCleanly,
});

/** A file that cannot be written at the moment is read nevertheless: the next commit stores the counter. */
function storeCounter({ counter }: OpenDocument): void {
  try {
    counter.ensureStored();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "storage") throw error;
  }
}
