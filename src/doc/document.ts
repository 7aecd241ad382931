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
  /** `full`: an acknowledged commit survives a power cut. */
  durability?: "full" | "normal";
  clock?: Clock;
  /** How much of its past is kept. */
  history?: HistoryLimits;
  /** What its formulas may use up. */
  formulas?: FormulaLimits;
  /** How many events may wait for each of its webhooks. */
  queueEvents?: number;
  /** The address of its page, for formulas that link to it. */
  url?: string | undefined;
  /** Reports slow statements of the document's connection. */
  slowQueries?: SlowQueryReport;
}

/** Room for a day of busy writing, or some tens of megabytes. */
const MAX_QUEUED_EVENTS = 100_000;

/** How long somebody else may keep the file locked while it is opened, and later. */
const OPEN_BUSY_TIMEOUT_MS = 5000;
const BUSY_TIMEOUT_MS = 250;

/** How much of a file SQLite keeps in memory, in KiB: sorted rows are read in no order that the disk would like. */
const CACHE_KIB = 16_384;

/** What `_grist_DocInfo` keeps as JSON about the document as a whole. */
export interface DocumentSettings {
  readonly locale?: string;
  readonly currency?: string;
  readonly [setting: string]: unknown;
}

/**
 * One document's file, opened. Everything derived from the file (schema, settings, whatever others hang on the schema
 * object) belongs to this object and goes with it: after a failure whose effects are unclear it is closed and made
 * anew.
 */
export class OpenDocument implements Disposable {
  readonly path: string;
  readonly db: Database;
  readonly clock: Clock;
  readonly historyLimits: HistoryLimits;
  readonly formulaLimits: FormulaLimits;
  readonly queueEvents: number;
  /** The address of its page; undefined where nobody knows it. */
  readonly url: string | undefined;
  /** Large answers under way. */
  readonly cursors: Cursors;
  #schema: Schema | undefined;
  #rules: CompiledRules | null | undefined;
  #info: { timezone: string; settings: DocumentSettings } | undefined;
  readonly #openId = randomHex(8);
  #commitCount = 0;
  #closed = false;

  /** @throws AppError when the file is missing, damaged, or no database. */
  constructor(path: string, options: OpenDocumentOptions = {}) {
    const { durability = "full", clock = systemClock, history = HISTORY_LIMITS, formulas = FORMULA_LIMITS } = options;
    this.path = path;
    this.clock = clock;
    this.historyLimits = history;
    this.formulaLimits = formulas;
    this.queueEvents = options.queueEvents ?? MAX_QUEUED_EVENTS;
    this.url = options.url;
    // Somebody else may just be closing it, which writes to the disk.
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

  /** Tables and columns. The same object until they change, so that what is derived from them can be kept by it. */
  get schema(): Schema {
    this.#schema ??= readSchema(this.db);
    return this.#schema;
  }

  /** Another text after every commit, and after every opening. */
  get version(): string {
    return `${this.#openId}.${this.#commitCount}`;
  }

  /** To be called after every commit. `schema` is true when it touched any metadata table. */
  onCommitted({ schema }: { schema: boolean }): void {
    this.#commitCount++;
    if (schema) this.invalidateSchema();
  }

  /**
   * Drops what was derived from the metadata: for use inside a transaction that changes tables and goes on with them,
   * and after one that did and was undone.
   */
  invalidateSchema(): void {
    this.#schema = undefined;
    this.#rules = undefined;
    this.#info = undefined;
    this.db.clearStatements();
  }

  /** True when the document has access rules of its own: a rule for something, whether or not that exists. */
  get hasRules(): boolean {
    return this.rules !== null;
  }

  /** The document's access rules; null when it has none. */
  get rules(): CompiledRules | null {
    if (this.#rules === undefined) this.#rules = readDocumentRules({ db: this.db, schema: this.schema });
    return this.#rules;
  }

  /** IANA name; UTC where the document says nothing. */
  get timezone(): string {
    return this.#documentInfo().timezone;
  }

  get documentSettings(): DocumentSettings {
    return this.#documentInfo().settings;
  }

  /** Closes the file and leaves it as one clean file, unless another process has it open. Twice is fine. */
  close(): void {
    if (this.#closed) return;
    try {
      this.db.clearStatements();
      this.cursors[Symbol.dispose]();
      this.db.exec("pragma journal_mode = delete");
    } catch {
      // Somebody else reads the file: it stays in WAL mode, complete, until the next one closes it.
    } finally {
      this.closeWithoutCheckpoint();
    }
  }

  /** Closes the file without making it a clean one: for whom somebody else has it open, who will. */
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
    // A document with broken settings is still a document; it has none then.
    return {};
  }
}
