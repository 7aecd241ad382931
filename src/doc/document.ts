import { FORMULA_LIMITS, type FormulaLimits } from "../formula/runtime/budget.ts";
import { type Clock, systemClock } from "../lib/time/clock.ts";
import { type CheckpointMode, Database, type Durability, type SlowQueryReport } from "../sqlite/database.ts";
import { CommitLog, type LoggedCommit } from "../sqlite/wal/commit-log.ts";
import type { ParseSettings } from "../values/column-type.ts";
import { type ChangeCount, ChangeCounter } from "./change-counter.ts";
import { Cursors } from "./cursors.ts";
import { DocumentIndexes } from "./indexes/document-indexes.ts";
import type { IndexSource } from "./indexes/index-source.ts";
import { SharedIndexes } from "./indexes/shared-indexes.ts";
import type { IndexOptions } from "./indexes/index-options.ts";
import { CALCULATION_LIMITS, calculationMemory, type CalculationLimits } from "./formulas/calculation-limits.ts";
import { IndexFile } from "./formulas/lookups/index-file.ts";
import { HISTORY_LIMITS, type HistoryLimits } from "./history.ts";
import { readSchema } from "./read-schema.ts";
import { type CallerRules, type CompiledRules, readDocumentRules } from "./rules/document-rules.ts";
import { limitToTables } from "./rules/limited-tables.ts";
import type { UserInfo } from "./user-info.ts";
import type { Schema } from "./schema.ts";

export { FORMULA_LIMITS, type FormulaLimits } from "../formula/runtime/budget.ts";
export type { Durability } from "../sqlite/database.ts";
export type { LoggedCommit } from "../sqlite/wal/commit-log.ts";

export interface OpenDocumentOptions {
  /**
   * `read`: a read-only connection beside the document's own, which has the file open. It changes neither the file nor
   * the files beside it, and reads only in `readSnapshot`.
   */
  access?: "write" | "read";
  /** True for a past state, which only callers read who may copy the whole document: its rules are those of then. */
  isPast?: boolean;
  /** As `OpenOptions.durability`. */
  durability?: Durability;
  /**
   * Log mode: called after each commit, before the change returns. The file stays in WAL mode when it is closed, and
   * nothing else may run checkpoints.
   */
  onCommit?: ((commit: LoggedCommit) => void) | undefined;
  clock?: Clock;
  /** How much history the document retains. */
  history?: HistoryLimits;
  /** Limits of formula evaluation. */
  formulas?: FormulaLimits;
  /** Limits of the memory for calculating formulas. */
  calculation?: Partial<CalculationLimits>;
  /** How many events each webhook may queue. */
  queueEvents?: number;
  /** The URL of the document's page, for formulas that link to it. */
  url?: string | undefined;
  /** When indexes are built, and the memory for them. */
  indexes?: IndexOptions;
  /** Whether reads of large responses throw `LargeResponse`, so that they are repeated by a reader. */
  handsOffLargeReads?: boolean;
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
/** As above, for a connection that only reads: there may be several of the same document. */
const READER_CACHE_KIB = 2048;

/** How long closing in log mode waits for snapshots to end. */
const CLOSE_WAIT_MS = 100;

/** Above this size a log whose content is completely in the file is truncated when it is used again. */
const MAX_KEPT_LOG_BYTES = 16 * 1024 ** 2;

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
  /** True for a read-only connection beside the document's own. */
  readonly isReader: boolean;
  readonly #isPast: boolean;
  readonly clock: Clock;
  readonly historyLimits: HistoryLimits;
  readonly formulaLimits: FormulaLimits;
  readonly calculationLimits: CalculationLimits;
  /** Holds the lookup indexes of formulas that exceed the limit of their memory. */
  readonly indexFile: IndexFile | null;
  readonly queueEvents: number;
  /** The URL of the document's page; undefined where it is unknown. */
  readonly url: string | undefined;
  /** As `OpenDocumentOptions.handsOffLargeReads`. */
  readonly handsOffLargeReads: boolean;
  /** Cursors of large responses in progress. */
  readonly cursors: Cursors;
  /** The change counter in the file. */
  readonly counter: ChangeCounter;
  /** Reports the commits in log mode; otherwise null. */
  readonly commitLog: CommitLog | null = null;
  /** Indexes that are built while the document is open; null for a reader. */
  readonly ownIndexes: DocumentIndexes | null = null;
  /** The indexes of the document's own connection, as a reader uses them. */
  readonly sharedIndexes: SharedIndexes | null = null;
  /** The indexes that reads use. */
  readonly indexes: IndexSource;
  /** In log mode, once it is closed: true when the file alone has the content of the last commit, on the disk. */
  isClosedCleanly = false;
  #schema: Schema | undefined;
  #rules: CompiledRules | null | undefined;
  #info: { timezone: string; settings: DocumentSettings } | undefined;
  #closed = false;

  /** @throws AppError when the file is missing, damaged, or not a database */
  constructor(path: string, options: OpenDocumentOptions = {}) {
    const { durability = "full", clock = systemClock, history = HISTORY_LIMITS, formulas = FORMULA_LIMITS } = options;
    this.path = path;
    this.clock = clock;
    this.historyLimits = history;
    this.formulaLimits = formulas;
    const memory = formulas.cacheBytes === undefined ? {} : calculationMemory(formulas.cacheBytes);
    this.calculationLimits = { ...CALCULATION_LIMITS, ...memory, ...options.calculation };
    this.queueEvents = options.queueEvents ?? MAX_QUEUED_EVENTS;
    this.url = options.url;
    this.isReader = options.access === "read";
    this.#isPast = options.isPast ?? false;
    const { onCommit } = options;
    const isLogged = onCommit !== undefined;
    this.indexFile = formulas.temporary && !this.isReader ? new IndexFile(formulas.temporary) : null;
    this.handsOffLargeReads = options.handsOffLargeReads ?? false;
    this.db = new Database(path, {
      ...(this.isReader
        ? { readonly: true }
        : { journal: "wal", durability, keepsLog: isLogged, measuredAs: "document" }),
      // Another process may be closing the file, which writes to the disk.
      busyTimeoutMs: OPEN_BUSY_TIMEOUT_MS,
      ...(options.slowQueries && { slowQueries: options.slowQueries }),
    });
    this.db.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    this.db.exec(`pragma cache_size = -${this.isReader ? READER_CACHE_KIB : CACHE_KIB}`);
    if (this.isReader) this.db.exec("pragma query_only = on; pragma wal_autocheckpoint = 0");
    else this.db.exec(`pragma journal_size_limit = ${MAX_KEPT_LOG_BYTES}`);
    this.cursors = new Cursors({ path, clock, connection: this.isReader ? this.db : null });
    this.counter = new ChangeCounter(this.db, { countsAll: isLogged });
    if (onCommit) this.commitLog = new CommitLog({ db: this.db, counter: this.counter, onCommit });
    else if (!this.isReader) this.db.setCommitHook(this.counter);
    if (this.isReader) {
      const seenCommit = () => this.counter.counts;
      this.indexes = this.sharedIndexes = new SharedIndexes(this.db, { seenCommit, ...options.indexes });
    } else
      this.indexes = this.ownIndexes = new DocumentIndexes(this, { temporary: formulas.temporary, ...options.indexes });
  }

  /** Tables and columns. The same object until they change, so that derived data can be cached by it. */
  get schema(): Schema {
    this.#schema ??= readSchema(this.db);
    return this.#schema;
  }

  /** Returns a string that changes with every change of the document; the same in all threads. */
  get version(): string {
    return this.counter.version;
  }

  /** The last commit, or the one that a reader's snapshot begins with. */
  get seenCommit(): ChangeCount | null {
    const { counts } = this.counter;
    return counts && { epoch: counts.epoch, seq: counts.seq };
  }

  /**
   * Runs `read` in one transaction of a reader, which begins by reading the change counter: everything that is read, or
   * derived from the metadata, belongs to the same commit. If `read` opens a cursor, the transaction continues until
   * the document is closed, and nothing else may be read.
   */
  readSnapshot<T>(read: () => T): T {
    this.db.exec("begin");
    try {
      const known = this.counter.counts?.schema;
      this.counter.refresh();
      const schema = this.counter.counts?.schema;
      if (!known || known.epoch !== schema?.epoch || known.seq !== schema.seq) this.invalidateSchema();
      return read();
    } finally {
      if (this.cursors.size === 0 && this.db.inTransaction) this.db.exec("commit");
    }
  }

  /** Call after every change. `schema` is true when it changed any metadata table. */
  onChanged({ schema }: { schema: boolean }): void {
    this.counter.changeCompleted();
    if (schema) this.invalidateSchema();
  }

  /**
   * Invalidates what was derived from the metadata: inside a transaction that changes tables and continues, and after
   * the rollback of one.
   */
  invalidateSchema(): void {
    this.counter.schemaChanged();
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
    if (this.#isPast) return null;
    if (this.#rules === undefined) this.#rules = readDocumentRules({ db: this.db, schema: this.schema });
    return this.#rules;
  }

  /** Returns what the rules, and the tables that an API key is limited to, leave to a caller; null for everything. */
  accessOf(user: UserInfo): CallerRules | null {
    const { rules } = this;
    if (!user.tables) return rules && rules.forUser(user);
    return limitToTables(rules, { db: this.db, schema: this.schema }, user.tables).forUser(user);
  }

  /** An IANA time zone; UTC where the document has none. */
  get timezone(): string {
    return this.#documentInfo().timezone;
  }

  get documentSettings(): DocumentSettings {
    return this.#documentInfo().settings;
  }

  /** The settings by which cells are parsed and formatted. */
  get formatSettings(): Pick<ParseSettings, "locale" | "currency" | "timezone"> {
    const { locale, currency } = this.documentSettings;
    return {
      locale: typeof locale === "string" && locale !== "" ? locale : "en-US",
      currency: typeof currency === "string" && currency !== "" ? currency : undefined,
      timezone: this.timezone,
    };
  }

  /** As `Database.checkpoint`; in log mode not while checkpoints are held. */
  checkpoint(mode: CheckpointMode, options?: { waitMs: number }): boolean {
    return (this.commitLog ?? this.db).checkpoint(mode, options);
  }

  /** Closes the file and checkpoints it into a single file, unless another process has it open. Idempotent. */
  close(): void {
    if (this.#closed) return;
    if (this.isReader) return this.closeWithoutCheckpoint();
    try {
      this.counter.bringUpToDate();
    } catch {
      // The file has no valid counter then; the next opening begins an epoch.
    }
    try {
      this.db.clearStatements();
      this.cursors[Symbol.dispose]();
      if (this.commitLog) this.#closeLog(this.commitLog);
      else this.db.exec("pragma journal_mode = delete");
    } catch {
      // Another process has the file open: it stays in WAL mode, which is complete, until the last process closes it.
    } finally {
      this.closeWithoutCheckpoint();
    }
  }

  #closeLog(log: CommitLog): void {
    log.release();
    this.isClosedCleanly = log.checkpoint("truncate", { waitMs: CLOSE_WAIT_MS });
  }

  /** Closes the file without a checkpoint, for a document that another thread has open as well. */
  closeWithoutCheckpoint(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.ownIndexes?.clear();
    this.indexFile?.clear();
    this.cursors[Symbol.dispose]();
    this.commitLog?.[Symbol.dispose]();
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
