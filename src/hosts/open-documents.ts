import { existsSync } from "node:fs";
import { mayHaveExpired } from "../doc/attachments/attachment-usage.ts";
import { FORMULA_LIMITS, type FormulaLimits, type OpenDocument, type OpenDocumentOptions } from "../doc/document.ts";
import { evictCells } from "../doc/formulas/calculation-cache.ts";
import { refreshClock } from "../doc/formulas/clock-formulas.ts";
import type { HistoryLimits } from "../doc/history.ts";
import { saveTiming, restoreTiming } from "../doc/formulas/timing-session.ts";
import { openDocumentFile } from "../doc/open-document.ts";
import { onEventsQueued } from "../doc/webhooks/outbox.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { Log } from "../lib/observability/log.ts";
import { documentFile } from "./files/document-files.ts";

export interface OpenDocumentsOptions {
  /** The data folder; each document has its own folder below `docs/`. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly durability: "full" | "normal";
  /** Maximum number of open documents; exceeded only while cursors keep documents open. */
  readonly maxOpen: number;
  /** Idle time after which a document is closed. */
  readonly idleMs: number;
  /** How much history each document keeps. */
  readonly history: HistoryLimits;
  /** Resource limits for the formulas of each document. */
  readonly formulas?: FormulaLimits;
  /** Maximum number of pending events per webhook. */
  readonly queueEvents?: number;
  /** As `RuntimeOptions.pagesUrl`. */
  readonly pagesUrl?: string | undefined;
  /** As `RuntimeOptions.slowMs`. */
  readonly slowMs?: number;
  /** Called after a change that queued events for webhooks. */
  readonly onEvents?: ((uuid: string) => void) | undefined;
  /** Called when recomputing clock-dependent formulas changed cells. */
  readonly onRecalculated?: ((uuid: string) => void) | undefined;
  /** As `RuntimeCallbacks.onMaintenanceDue`. */
  readonly onMaintenanceDue?: ((uuid: string) => void) | undefined;
  /** Called after a document was opened. */
  readonly onOpened?: ((uuid: string) => void) | undefined;
  /** Called after a document was closed for any reason. */
  readonly onClosed?: (uuid: string) => void;
}

/** Idle time after which an unread cursor is closed. */
const CURSOR_IDLE_MS = 20_000;
/** Idle time after which a document's SQLite memory is released. */
const SHRINK_AFTER_MS = 5000;

/** Interval for recomputing clock-dependent formulas of an open document. */
const CLOCK_REFRESH_INTERVAL_MS = 3_600_000;

interface Entry {
  readonly document: OpenDocument;
  /** Monotonic time. */
  usedAt: number;
  /** When clock-dependent formulas were last recomputed. */
  clockRefreshedAt: number;
  isShrunk: boolean;
  /** The document's version when it was opened. */
  readonly openedVersion: string;
  /** True once attachment maintenance was requested: at most once while it is open. */
  isMaintenanceRequested: boolean;
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

  constructor(options: OpenDocumentsOptions) {
    this.#options = options;
  }

  /** Returns the document if it is open, and marks it as used. */
  find(uuid: string): OpenDocument | undefined {
    const entry = this.#entries.get(uuid);
    if (!entry) return undefined;
    entry.usedAt = this.#options.clock.elapsed();
    entry.isShrunk = false;
    this.#entries.delete(uuid);
    this.#entries.set(uuid, entry);
    return entry.document;
  }

  /**
   * Returns the document, opening it if necessary. Closes the least recently used one above the limit.
   * @throws AppError `damaged` when its file is missing or unreadable; other documents are not affected
   */
  get(uuid: string): OpenDocument {
    const open = this.find(uuid);
    if (open) return open;
    const { clock, log } = this.#options;
    const start = clock.elapsed();
    const document = this.#open(uuid);
    if (log.isEnabled("debug"))
      log.debug("document.opened", { document: uuid, ms: Math.round(clock.elapsed() - start) });
    const entryState = { isShrunk: false, isMaintenanceRequested: false, openedVersion: document.version };
    this.#entries.set(uuid, { document, usedAt: clock.elapsed(), clockRefreshedAt: clock.now(), ...entryState });
    this.#options.onOpened?.(uuid);
    this.#closeExcess(uuid);
    return document;
  }

  /** Closes a document and its cursors; the next use reopens it. Idempotent. */
  close(uuid: string): void {
    for (const retired of this.#retired) if (retired.uuid === uuid) this.#closeRetired(retired);
    this.#closeEntry(uuid, (document) => document.close());
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
  }

  #closeEntry(uuid: string, close: (document: OpenDocument) => void): void {
    const entry = this.#entries.get(uuid);
    if (!entry) return;
    this.#entries.delete(uuid);
    try {
      try {
        saveTiming(entry.document);
      } finally {
        close(entry.document);
      }
    } catch (error) {
      this.#options.log.error("document.close_failed", { document: uuid, error: String(error) });
    }
    this.#options.onClosed?.(uuid);
  }

  /** Closes idle cursors, shrinks the memory of idle documents and closes them. Call it every few seconds. */
  closeIdle(): void {
    const now = this.#options.clock.now();
    const elapsed = this.#options.clock.elapsed();
    for (const retired of this.#retired) {
      retired.document.cursors.closeIdleSince(elapsed - CURSOR_IDLE_MS);
      this.#closeRetiredIfUnused(retired);
    }
    for (const [uuid, entry] of this.#entries) {
      entry.document.cursors.closeIdleSince(elapsed - CURSOR_IDLE_MS);
      const idleMs = elapsed - entry.usedAt;
      if (Math.abs(now - entry.clockRefreshedAt) >= CLOCK_REFRESH_INTERVAL_MS) this.#refreshClock(uuid, entry, now);
      if (idleMs >= this.#options.idleMs && entry.document.cursors.size === 0) this.#closeOrMaintain(uuid, entry);
      else if (idleMs >= SHRINK_AFTER_MS && !entry.isShrunk) {
        entry.isShrunk = true;
        entry.document.db.exec("pragma shrink_memory");
        evictCells(entry.document.db);
      }
    }
  }

  /** Requests attachment maintenance before an idle document is closed. */
  #closeOrMaintain(uuid: string, entry: Entry): void {
    const { onMaintenanceDue } = this.#options;
    // Maintenance is requested only once; the next sweep closes the document.
    if (!entry.isMaintenanceRequested && onMaintenanceDue && this.#isMaintenanceDue(entry)) onMaintenanceDue(uuid);
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
      if (document.version !== version) this.#options.onRecalculated?.(uuid);
    } catch (error) {
      this.#options.log.warn("document.reopened", { document: uuid, error: String(error) });
      this.close(uuid);
    }
  }

  get size(): number {
    return this.#entries.size;
  }

  [Symbol.dispose](): void {
    for (const retired of this.#retired) this.#closeRetired(retired);
    for (const uuid of this.#entries.keys()) this.close(uuid);
  }

  #open(uuid: string): OpenDocument {
    const file = documentFile(this.#options.folder, uuid);
    if (!existsSync(file)) throw new AppError("damaged", "The document's file is missing");
    const { durability, clock, history, formulas = FORMULA_LIMITS, queueEvents, pagesUrl, onEvents } = this.#options;
    const { log, slowMs = 0 } = this.#options;
    const url = pagesUrl && `${pagesUrl}/${uuid}`;
    const queueOptions = queueEvents === undefined ? { url } : { url, queueEvents };
    let document: OpenDocument | undefined;
    try {
      const slowQueries: OpenDocumentOptions["slowQueries"] = {
        ms: slowMs,
        report: (query) => log.warn("sqlite.slow_query", { database: "document", document: uuid, ...query }),
      };
      document = openDocumentFile(file, { durability, clock, history, formulas, slowQueries, ...queueOptions });
      if (onEvents) onEventsQueued(document, () => onEvents(uuid));
      // Read the metadata now, so that a damaged file fails on open.
      document.schema.tables.at(0);
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
    for (const [uuid, { document }] of this.#entries) {
      if (this.#entries.size <= this.#options.maxOpen) return;
      if (uuid !== justOpened && document.cursors.size === 0) this.close(uuid);
    }
  }
}
