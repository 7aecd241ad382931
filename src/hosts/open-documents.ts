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
import { documentFile } from "./document-files.ts";

export interface OpenDocumentsOptions {
  /** The data folder; each document has one of its own below `docs/`. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly durability: "full" | "normal";
  /** How many are kept open; more are for as long as large answers need them. */
  readonly maxOpen: number;
  /** After how long unused a document is closed. */
  readonly idleMs: number;
  /** How much history each document keeps. */
  readonly history: HistoryLimits;
  /** What the formulas of each document may use up. */
  readonly formulas?: FormulaLimits;
  /** How many events may wait for each webhook. */
  readonly queueEvents?: number;
  /** As `KeepingOptions.pagesUrl`. */
  readonly pagesUrl?: string | undefined;
  /** As `KeepingOptions.slowMs`. */
  readonly slowMs?: number;
  /** Called after a change that left something to be sent to webhooks. */
  readonly onEvents?: ((uuid: string) => void) | undefined;
  /** Called when formulas that read the clock were computed and gave something else. */
  readonly onRecalculated?: ((uuid: string) => void) | undefined;
  /** As `DocumentNotices.onUpkeepDue`. */
  readonly onUpkeepDue?: ((uuid: string) => void) | undefined;
  /** Called when a document was opened. */
  readonly onOpened?: ((uuid: string) => void) | undefined;
  /** Called when a document was closed for whatever reason. */
  readonly onClosed?: (uuid: string) => void;
}

/** After how long a large answer that nobody takes is given up. */
const CURSOR_IDLE_MS = 20_000;
/** After how long unused a document gives back the memory SQLite holds for it. */
const SHRINK_AFTER_MS = 5000;

/** How often formulas that read the clock are computed while a document is open. */
const CLOCK_REFRESH_INTERVAL_MS = 3_600_000;

interface Entry {
  readonly document: OpenDocument;
  /** As elapsed time. */
  usedAt: number;
  /** When formulas that read the clock were computed last. */
  clockRefreshedAt: number;
  isShrunk: boolean;
  /** The document's version when it was opened. */
  readonly openedVersion: string;
  /** True once the upkeep of its attachments was asked for: once while it is open. */
  isMaintenanceRequested: boolean;
}

interface Retired {
  readonly uuid: string;
  readonly document: OpenDocument;
}

/** The documents that are open, by UUID, in the order of their last use. */
export class OpenDocuments implements Disposable {
  readonly #options: OpenDocumentsOptions;
  readonly #entries = new Map<string, Entry>();
  /** Documents that other threads have taken over, for as long as large answers are read from them here. */
  readonly #retired = new Set<Retired>();

  constructor(options: OpenDocumentsOptions) {
    this.#options = options;
  }

  /** The document if it is open; this counts as a use. */
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
   * The document, opened if need be. The one that was not used for longest is closed when there are too many.
   * @throws AppError `damaged` when its file is missing or cannot be read; other documents are not affected.
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

  /** Closes a document and its large answers; the next use opens it again. Fine when it is not open. */
  close(uuid: string): void {
    for (const retired of this.#retired) if (retired.uuid === uuid) this.#closeRetired(retired);
    this.#closeEntry(uuid, (document) => document.close());
  }

  /** Lets go of a document that another thread has open as well; large answers are still read to their end. */
  handOver(uuid: string): void {
    this.#closeEntry(uuid, (document) => {
      if (document.cursors.size > 0) this.#retired.add({ uuid, document });
      else document.closeWithoutCheckpoint();
    });
  }

  /** The next part of a large answer, as `Cursors.next`. */
  next(uuid: string, cursor: string): Uint8Array | null {
    const retired = this.#retiredWith(uuid, cursor);
    const document = retired?.document ?? this.find(uuid);
    if (!document) throw new AppError("document.unavailable", "The document was closed meanwhile", { retryAfterS: 1 });
    try {
      return document.cursors.next(cursor);
    } finally {
      if (retired) this.#closeRetiredIfUnused(retired);
    }
  }

  /** Gives a large answer up; fine when it is closed. */
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

  /** Gives up what was not used for a while: large answers, memory, documents. To be called every few seconds. */
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

  /** Before an idle document is closed, there is time for attachments that nobody uses. */
  #closeOrMaintain(uuid: string, entry: Entry): void {
    const { onUpkeepDue } = this.#options;
    // Once it has been seen to, or nobody did, the next round closes the document.
    if (!entry.isMaintenanceRequested && onUpkeepDue && this.#isMaintenanceDue(entry)) onUpkeepDue(uuid);
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
      // Reading the metadata now tells a damaged file before anything is answered from it.
      document.schema.tables.at(0);
      restoreTiming(document);
      refreshClock(document);
      return document;
    } catch (error) {
      document?.close();
      this.#options.log.error("document.open_failed", { document: uuid, error: String(error) });
      // That the file is no database is no fault of the caller's.
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
