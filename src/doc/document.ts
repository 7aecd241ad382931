import { FORMULA_LIMITS, type FormulaLimits } from "../formula/runtime/budget.ts";
import { type Clock, systemClock } from "../lib/time/clock.ts";
import { randomHex } from "../lib/ids.ts";
import { Database, type SlowQueryReport } from "../sqlite/database.ts";
import { Cursors } from "./cursors.ts";
import { HISTORY_LIMITS, type HistoryLimits } from "./history.ts";
import { readSchema } from "./read-schema.ts";
import { type CompiledRules, readDocumentRules } from "./rules/document-rules.ts";
import type { Schema } from "./schema.ts";

export { FORMULA_LIMITS, type FormulaLimits } from "../formula/runtime/budget.ts";

export interface OpenDocumentOptions {
  /** `full`: an acknowledged commit survives a power failure. */
  durability?: "full" | "normal";
  clock?: Clock;
  /** How much history the document retains. */
  history?: HistoryLimits;
  /** Limits of formula evaluation. */
  formulas?: FormulaLimits;
  /** How many events each webhook may queue. */
  queueEvents?: number;
  /** The URL of the document's page, for formulas that link to it. */
  url?: string | undefined;
  /** Reports slow statements of the document's connection. */
  slowQueries?: SlowQueryReport;
}

/** Enough for a day of heavy writing; some tens of megabytes. */
const MAX_QUEUED_EVENTS = 100_000;

/** How long to wait for another process's lock while opening, and later. */
const OPEN_BUSY_TIMEOUT_MS = 5000;
const BUSY_TIMEOUT_MS = 250;

/** SQLite's page cache in KiB: sorted rows are read in random order. */
const CACHE_KIB = 16_384;

/** The document settings stored as JSON in `_grist_DocInfo`. */
export interface DocumentSettings {
  readonly locale?: string;
  readonly currency?: string;
  readonly [setting: string]: unknown;
}

/**
 * An open document file. Everything derived from the file (schema, settings, caches keyed by the schema object) belongs
 * to this object and is discarded with it: after a failure with unclear effects, the document is closed and reopened.
 */
export class OpenDocument implements Disposable {
  readonly path: string;
  readonly db: Database;
  readonly clock: Clock;
  readonly historyLimits: HistoryLimits;
  readonly formulaLimits: FormulaLimits;
  readonly queueEvents: number;
  /** The URL of the document's page; undefined where it is unknown. */
  readonly url: string | undefined;
  /** Cursors of large responses in progress. */
  readonly cursors: Cursors;
  #schema: Schema | undefined;
  #rules: CompiledRules | null | undefined;
  #info: { timezone: string; settings: DocumentSettings } | undefined;
  readonly #openId = randomHex(8);
  #commitCount = 0;
  #closed = false;

  /** @throws AppError when the file is missing, damaged, or not a database */
  constructor(path: string, options: OpenDocumentOptions = {}) {
    const { durability = "full", clock = systemClock, history = HISTORY_LIMITS, formulas = FORMULA_LIMITS } = options;
    this.path = path;
    this.clock = clock;
    this.historyLimits = history;
    this.formulaLimits = formulas;
    this.queueEvents = options.queueEvents ?? MAX_QUEUED_EVENTS;
    this.url = options.url;
    // Another process may be closing the file, which writes to the disk.
    this.db = new Database(path, {
      journal: "wal",
      durability,
      measuredAs: "document",
      busyTimeoutMs: OPEN_BUSY_TIMEOUT_MS,
      ...(options.slowQueries && { slowQueries: options.slowQueries }),
    });
    this.db.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    this.db.exec(`pragma cache_size = -${CACHE_KIB}`);
    this.cursors = new Cursors(path, clock);
  }

  /** Tables and columns. The same object until they change, so that derived data can be cached by it. */
  get schema(): Schema {
    this.#schema ??= readSchema(this.db);
    return this.#schema;
  }

  /** Returns a string that changes with every commit and every opening. */
  get version(): string {
    return `${this.#openId}.${this.#commitCount}`;
  }

  /** Call after every commit. `schema` is true when it changed any metadata table. */
  onCommitted({ schema }: { schema: boolean }): void {
    this.#commitCount++;
    if (schema) this.invalidateSchema();
  }

  /**
   * Invalidates what was derived from the metadata: inside a transaction that changes tables and continues, and after
   * the rollback of one.
   */
  invalidateSchema(): void {
    this.#schema = undefined;
    this.#rules = undefined;
    this.#info = undefined;
    this.db.clearStatements();
  }

  /** True when the document has access rules: a rule for any resource, whether or not that exists. */
  get hasRules(): boolean {
    return this.rules !== null;
  }

  /** The document's compiled access rules; null when it has none. */
  get rules(): CompiledRules | null {
    if (this.#rules === undefined) this.#rules = readDocumentRules({ db: this.db, schema: this.schema });
    return this.#rules;
  }

  /** An IANA time zone; UTC where the document has none. */
  get timezone(): string {
    return this.#documentInfo().timezone;
  }

  get documentSettings(): DocumentSettings {
    return this.#documentInfo().settings;
  }

  /** Closes the file and checkpoints it into a single file, unless another process has it open. Idempotent. */
  close(): void {
    if (this.#closed) return;
    try {
      this.db.clearStatements();
      this.cursors[Symbol.dispose]();
      this.db.exec("pragma journal_mode = delete");
    } catch {
      // Another process has the file open: it stays in WAL mode, which is complete, until the last process closes it.
    } finally {
      this.closeWithoutCheckpoint();
    }
  }

  /** Closes the file without a checkpoint, for a document that another thread has open as well. */
  closeWithoutCheckpoint(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.cursors[Symbol.dispose]();
    this.db.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #documentInfo(): { timezone: string; settings: DocumentSettings } {
    this.#info ??= this.#readDocumentInfo();
    return this.#info;
  }

  #readDocumentInfo(): { timezone: string; settings: DocumentSettings } {
    const columns = this.schema.stored.get("_grist_docinfo");
    const read = (column: string): unknown =>
      columns?.has(column.toLowerCase())
        ? this.db.get<{ value: unknown }>(`select ${column} as value from _grist_DocInfo order by id limit 1`)?.value
        : undefined;
    const timezone = read("timezone");
    return {
      timezone: typeof timezone === "string" && timezone !== "" ? timezone : "UTC",
      settings: parseSettings(read("documentSettings")),
    };
  }
}

function parseSettings(text: unknown): DocumentSettings {
  if (typeof text !== "string" || text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as DocumentSettings) : {};
  } catch {
    // A document with invalid settings is still usable; it then has none.
    return {};
  }
}
