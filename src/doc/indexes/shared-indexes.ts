import { incrementCounter } from "../../lib/observability/measurements.ts";
import type { Database } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { CellValue } from "../../values/cell.ts";
import type { ChangeCount } from "../change-counter.ts";
import type { OrderedRow, OrderSpec } from "../read/row-ordering.ts";
import { findCells } from "./column-index.ts";
import { EqualityIndex } from "./equality-index.ts";
import { columnIndexName, indexSubject, orderIndexName, textIndexName } from "./index-name.ts";
import { type IndexedColumn, type IndexSource, maxCandidates, maxInRange, type OrderReader } from "./index-source.ts";
import { MIN_ROWS } from "./index-options.ts";
import { orderedRows, rowsInRange } from "./order-index.ts";
import { covers, type SharedIndex } from "./shared-index.ts";
import { SharedLog } from "./shared-log.ts";
import { SortOrder } from "./sort-order.ts";
import { trigramQuery } from "./text-file.ts";
import { findRowsByText } from "./text-index.ts";

interface Entry {
  readonly shared: SharedIndex;
  readonly log: SharedLog;
  readonly column: EqualityIndex | null;
  readonly order: SortOrder<OrderedRow> | null;
}

interface SharedIndexesOptions {
  /** Returns the commit that the current snapshot begins with. */
  readonly seenCommit: () => ChangeCount | null;
  readonly minRows?: number;
}

/**
 * The indexes of a document's own connection, used by a reader with a snapshot of its own. An index is used for a
 * snapshot only if it was built at the snapshot's commit or before, and its log contains all changes since then;
 * otherwise the reader reads without it.
 */
export class SharedIndexes implements IndexSource {
  readonly #db: Database;
  readonly #seenCommit: () => ChangeCount | null;
  readonly #minRows: number;
  readonly #entries = new Map<string, Entry>();
  /** Called with the name of an index that a read would have used. */
  onMiss: ((name: string) => void) | undefined;

  constructor(db: Database, { seenCommit, minRows = MIN_ROWS }: SharedIndexesOptions) {
    this.#db = db;
    this.#seenCommit = seenCommit;
    this.#minRows = minRows;
  }

  /** Takes an index of the document's own connection, in place of an older one with the same name. */
  accept(shared: SharedIndex): void {
    const entry = this.#entries.get(shared.name);
    const known = entry?.log.isClosed ? undefined : entry?.shared;
    if (known?.nextEpoch === shared.nextEpoch && known.since?.seq === shared.since?.seq) return;
    const { base } = shared;
    const log = new SharedLog(base.log);
    const subject = indexSubject(shared.name);
    const column = base.kind === "column" ? new EqualityIndex({ base, log }) : null;
    const order =
      base.kind === "order" && subject.kind === "order"
        ? new SortOrder(orderedRows(this.#db, subject.spec), { base: base.ids, log })
        : null;
    this.#entries.set(shared.name, { shared, log, column, order });
    // Their memory would stay in use until a read asks for them.
    for (const [name, entry] of this.#entries) if (entry.log.isClosed) this.#entries.delete(name);
  }

  findRows(table: string, field: IndexedColumn, values: readonly CellValue[]): number[] | null {
    const name = columnIndexName(table, field);
    const index = this.#find(name, table)?.column;
    return index ? this.#counted(findCells(index, values, maxCandidates(this.#highestId(table)))) : null;
  }

  findOrder(spec: OrderSpec): OrderReader | null {
    const order = this.#find(orderIndexName(spec), spec.table)?.order;
    const seq = this.#seenCommit()?.seq;
    if (!order || seq === undefined || !order.update({ seq })) return null;
    return this.#counted({
      count: () => (order.update({ seq }) ? order.count : null),
      page: (offset, limit) => (order.update({ seq }) ? order.page(offset, limit) : null),
      range: (range, limit) => (order.update({ seq }) ? rowsInRange(order, range, limit) : null),
    });
  }

  findTexts(table: string, fields: readonly IndexedColumn[], words: readonly string[]): number[] | null {
    if (trigramQuery(words) === null) return null;
    const name = textIndexName(table, fields);
    const entry = this.#find(name, table);
    if (entry?.shared.base.kind !== "text") return null;
    const { files } = entry.shared.base;
    try {
      return this.#counted(findRowsByText({ files, log: entry.log }, words, maxInRange(this.#highestId(table))));
    } catch {
      // The index was dropped while it was used.
      this.#entries.delete(name);
      return null;
    }
  }

  /** Only the document's own connection builds indexes. */
  takeOrder(): void {}

  /** Returns an index that can be used for the current snapshot. */
  #find(name: string, table: string): Entry | null {
    const entry = this.#entries.get(name);
    if (entry?.log.isClosed) this.#entries.delete(name);
    const seen = this.#seenCommit();
    if (entry && seen && this.#entries.has(name) && covers(entry.shared, seen)) return entry;
    if (!this.#entries.has(name) && this.#highestId(table) >= this.#minRows) {
      incrementCounter("indexMisses");
      this.onMiss?.(name);
    }
    return null;
  }

  #counted<T>(found: T | null): T | null {
    if (found !== null) incrementCounter("indexHits");
    return found;
  }

  #highestId(table: string): number {
    return Number(this.#db.values(`select max(id) from ${quote(table)}`)[0]?.[0] ?? 0);
  }
}
