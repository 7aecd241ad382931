import type { Database, SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import { searchedText } from "../search/searched-text.ts";
import type { IndexedColumn } from "./index-source.ts";
import { scanRows } from "./scan-rows.ts";
import type { SharedBase } from "./shared-index.ts";
import { SharedLog } from "./shared-log.ts";
import { MAX_INDEXED_ID, type TableIndex } from "./table-index.ts";
import { findTexts, removeTextFile, TextFileWriter, type TextFileOptions, trigramQuery } from "./text-file.ts";

/** Ids of changed rows that the log holds; 256 KB. */
const LOG_CAPACITY = 65_536;
/** The defaults of the options. */
const LOG_LENGTH = 2048;
const CHANGED_ROWS = 32_768;
const LOG_SHARE = 8;
const CHANGED_SHARE = 8;
/** Rows that are indexed in one step: about a millisecond. */
const BATCH_SIZE = 64;

export interface TextIndexOptions extends TextFileOptions {
  /** From this length, or share of the rows in the second file, the rows of the log are indexed. */
  readonly logLength?: number;
  /** Up to this number, or share of all rows, changed rows are in the second file; then all rows are indexed again. */
  readonly changedRows?: number;
}

/** The files of an index, and the rows that changed since they were begun. */
interface Version {
  /** The first one has all rows, the second one the rows that changed since. Empty until the index is built. */
  readonly files: readonly string[];
  readonly log: SharedLog;
  /** The rows of the second file. */
  readonly changed: ReadonlySet<number>;
}

const emptyVersion = (): Version => ({ files: [], log: new SharedLog(LOG_CAPACITY), changed: new Set() });

/**
 * Finds the rows of a table in whose texts words may occur: all in which they occur in any committed state since the index
 * was built, and in the current transaction, and others. The caller reads the cells. Entries of former texts remain, and
 * rows that changed are found by every query until they are indexed, so that rollbacks need no care.
 */
export class TextIndex implements TableIndex {
  readonly table: string;
  readonly columns: ReadonlySet<string>;
  readonly isUseless = false;
  readonly #db: Database;
  readonly #fields: readonly IndexedColumn[];
  readonly #options: TextIndexOptions;
  #current = emptyVersion();
  /** Its log collects changes while its files are written. */
  #next: Version | null = null;
  #writer: TextFileWriter | null = null;
  #rowCount = 0;

  constructor(
    db: Database,
    { table, fields, options }: { table: string; fields: readonly IndexedColumn[]; options: TextIndexOptions },
  ) {
    this.#db = db;
    this.table = table;
    this.columns = new Set(fields.map(({ id }) => id));
    this.#fields = fields;
    this.#options = options;
  }

  get isBuilt(): boolean {
    return this.#current.files.length > 0;
  }

  get isClosed(): boolean {
    return this.#current.log.isClosed;
  }

  get shared(): SharedBase | null {
    const { files, log } = this.#current;
    return files.length === 0 ? null : { kind: "text", files, log: log.buffer };
  }

  get sizeBytes(): number {
    return this.#current.log.buffer.byteLength + (this.#next?.log.buffer.byteLength ?? 0);
  }

  get hasWork(): boolean {
    const { log, changed } = this.#current;
    return log.length > Math.max(this.#options.logLength ?? LOG_LENGTH, changed.size / LOG_SHARE);
  }

  /** Returns the ids of rows in which the words may occur, ascending; null when they are more than `limit`. */
  find(words: readonly string[], limit: number): number[] | null {
    return findRowsByText(this.#current, words, limit);
  }

  rowsWritten(ids: readonly number[]): void {
    if (ids.some((id) => id > MAX_INDEXED_ID)) return this.close();
    this.#current.log.append(ids);
    this.#next?.log.append(ids);
    if (this.isClosed) this.close();
  }

  /** Removed rows remain in the index: the caller finds no cells of them. */
  rowsRemoved(): void {}

  close(): void {
    this.#current.log.close();
    this.#next?.log.close();
    this.#writer?.discard();
    this.#writer = null;
    for (const file of this.#current.files) removeTextFile(file);
  }

  *work(): Generator<void> {
    const { log, changed, files } = this.#current;
    if (this.isBuilt && !this.hasWork) return;
    const ids = new Set(changed);
    for (let at = 0; at < log.length; at++) ids.add(log.at(at));
    const [first] = files;
    const isSmall = ids.size <= Math.max(this.#options.changedRows ?? CHANGED_ROWS, this.#rowCount / CHANGED_SHARE);
    const next = first === undefined ? this.#current : emptyVersion();
    if (next !== this.#current) this.#next = next;
    if (first !== undefined && isSmall) {
      const file = yield* this.#write(this.#rowsOf([...ids]));
      if (file !== null) this.#replace({ ...next, files: [first, file], changed: ids });
    } else {
      const file = yield* this.#write(scanRows(this.#db, { ...this.#source, batchSize: BATCH_SIZE }));
      if (file !== null) this.#replace({ ...next, files: [file] });
    }
  }

  get #source(): { table: string; columns: string[] } {
    return { table: this.table, columns: [...this.columns] };
  }

  *#rowsOf(ids: readonly number[]): Generator<SqlValue[][]> {
    const columns = ["id", ...[...this.columns].map(quote)].join(", ");
    const sql = `select ${columns} from ${quote(this.table)} where id in (select value from json_each(?)) order by id`;
    const sorted = ids.toSorted((a, b) => a - b);
    for (let at = 0; at < sorted.length; at += BATCH_SIZE) {
      yield this.#db.values(sql, JSON.stringify(sorted.slice(at, at + BATCH_SIZE)));
    }
  }

  /** Writes a file with the texts of rows. Returns null when the index was closed meanwhile. */
  *#write(batches: Iterable<SqlValue[][]>): Generator<void, string | null> {
    const writer = new TextFileWriter(this.#options);
    this.#writer = writer;
    let count = 0;
    for (const rows of batches) {
      if (Number(rows.at(-1)?.[0]) > MAX_INDEXED_ID) this.close();
      if (this.isClosed) return null;
      for (const [id, ...cells] of rows) writer.add(Number(id), searchedText(this.#fields, cells));
      count += rows.length;
      yield;
    }
    for (const _ of writer.finish()) {
      yield;
      if (this.isClosed) return null;
    }
    this.#writer = null;
    this.#rowCount = Math.max(this.#rowCount, count);
    return writer.path;
  }

  #replace(version: Version): void {
    const { files, log } = this.#current;
    this.#current = version;
    this.#next = null;
    if (log !== version.log) log.close();
    for (const file of files) if (!version.files.includes(file)) removeTextFile(file);
  }
}

/** Returns the rows that an index finds, ascending; null when it cannot be used, or finds more than `limit`. */
export function findRowsByText(
  { files, log }: Pick<Version, "files" | "log">,
  words: readonly string[],
  limit: number,
): number[] | null {
  const query = trigramQuery(words);
  if (query === null || files.length === 0 || log.isClosed) return null;
  const found = new Set<number>();
  for (const file of files) if (!findTexts(file, { query, limit }, found)) return null;
  const { length } = log;
  for (let at = 0; at < length; at++) found.add(log.at(at));
  return found.size > limit || log.isClosed ? null : [...found].toSorted((a, b) => a - b);
}
