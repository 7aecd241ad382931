import type { PyValue } from "../../formula/runtime/values.ts";
import type { Catalog } from "../actions/catalog.ts";
import { METADATA_TABLES } from "../metadata-tables.ts";
import type { Schema } from "../schema.ts";
import type { IndexFile } from "./lookups/index-file.ts";
import type { LookupKeyColumn } from "./lookups/lookup-keys.ts";
import type { LookupMap } from "./lookups/lookup-map.ts";
import { LookupMaps } from "./lookups/lookup-maps.ts";
import { buildNodes, ColumnNode, type CompiledFormulas, TableNode } from "./nodes.ts";
import { OwnPath, type PathContext } from "./paths.ts";
import type { RowSelection } from "./pending-rows.ts";
import type { ReadRelation } from "./schedule.ts";
import { linkStatically, type FormulaIndex, mayRead, mayReadTable } from "./static-reads.ts";
import { findSummaries, type SummaryDefinition } from "./summaries.ts";

export interface GraphOptions {
  readonly schema: Schema;
  readonly compiled: CompiledFormulas;
  /** The timezone of the document. */
  readonly timezone: string;
  /** Ids of tables created in this change, which no stored result can depend on. */
  readonly fresh?: ReadonlySet<string>;
}

/** What is called for the cells that depend on a changed one. */
export interface DependentsVisitor {
  /** Cells of a formula column depend on the change. */
  affected(column: ColumnNode, rows: RowSelection): void;
  /** The change runs trigger formulas in the same rows. */
  triggered(column: ColumnNode, rows: readonly number[]): void;
}

/**
 * The dependency graph of a document's formulas: which cells each formula reads, and by which path. It is valid for one
 * schema, and holds columns and paths, not cells; which rows a path connects is in the lookup maps.
 */
export class DependencyGraph implements FormulaIndex, ReadRelation {
  readonly tables: ReadonlyMap<string, TableNode>;
  readonly summaries: ReadonlyMap<TableNode, SummaryDefinition>;
  readonly newTables: ReadonlySet<TableNode>;
  readonly lookups = new LookupMaps();
  readonly #ownPaths = new Map<ColumnNode, OwnPath>();
  /** Missing tables that references point to. */
  readonly #otherTables = new Map<string, TableNode>();
  /** Formula columns whose dependencies are not completely known. */
  readonly #unresolved = new Set<ColumnNode>();
  readonly #catalog: Catalog;
  readonly #context: PathContext;

  constructor(catalog: Catalog, { schema, compiled, timezone, fresh }: GraphOptions, context: PathContext) {
    this.#catalog = catalog;
    this.#context = context;
    this.tables = buildNodes(catalog, schema, { compiled, timezone });
    this.newTables = new Set([...this.tables.values()].filter(({ id }) => fresh?.has(id)));
    this.summaries = findSummaries(schema, this.tables);
  }

  /** Adds the edges that the texts of the formulas show. */
  link(): void {
    for (const table of this.tables.values()) {
      for (const column of table.formulas) {
        if (!column.trigger && !linkStatically(this, column)) this.#unresolved.add(column);
      }
    }
  }

  table(id: string): TableNode {
    const known = this.tables.get(id) ?? this.#otherTables.get(id);
    if (known) return known;
    const isMetadata = METADATA_TABLES.some((table) => table.id === id);
    const stored = isMetadata ? this.#catalog.find(id) : undefined;
    const node = new TableNode(stored, id);
    for (const column of stored?.columns.values() ?? []) {
      node.columns.set(column.id, new ColumnNode(node, column, { timezone: "UTC" }));
    }
    // Metadata nodes are not cached: changes of metadata rows are not reported.
    if (!isMetadata) this.#otherTables.set(id, node);
    return node;
  }

  pathOf(column: ColumnNode): OwnPath {
    let path = this.#ownPaths.get(column);
    if (!path) this.#ownPaths.set(column, (path = new OwnPath(column, column.table, this.#context)));
    return path;
  }

  /** Returns a table by name (default: the column's own) as a value for the column's formula. */
  tableOf(column: ColumnNode, name: string | undefined): PyValue {
    return this.pathOf(column).toTable(name === undefined ? column.table : this.table(name)).userTable;
  }

  /** Returns the map of rows to referring rows. Pending cells are used as stored: their readers are dirty as well. */
  reverseMap(column: ColumnNode, target: string): LookupMap {
    return this.map(column.table, [{ node: column, by: "reference", target }]);
  }

  /** Returns the refreshed map of a table by key columns. */
  map(table: TableNode, columns: readonly LookupKeyColumn[]): LookupMap {
    const map = this.lookups.find(table, columns);
    this.#context.refresh(map);
    return map;
  }

  /** Visits everything that depends directly on cells of a column. */
  visitReaders(column: ColumnNode, rows: RowSelection, visitor: DependentsVisitor): void {
    for (const reader of column.sameRowReaders) visitor.affected(reader, rows);
    if (rows !== "all") for (const reader of column.triggered) visitor.triggered(reader, rows);
    for (const path of column.readers) visitor.affected(path.owner, path.affected(rows));
    this.lookups.onCellsChanged(column, rows);
    for (const reader of this.#unresolved) {
      if (!reader.pending.isAll && mayRead(this, reader, column)) visitor.affected(reader, "all");
    }
  }

  /** Visits everything that depends on the added or removed rows of a table. */
  visitReadersOfTable(table: TableNode, rows: readonly number[], visitor: DependentsVisitor): void {
    this.lookups.onRowsChanged(table, rows);
    for (const column of table.columns.values()) {
      for (const path of column.readers) visitor.affected(path.owner, path.affected(rows));
    }
    for (const reader of this.#unresolved) {
      if (!reader.pending.isAll && mayReadTable(this, reader, { table, rows })) visitor.affected(reader, "all");
    }
  }

  /** Returns true when the formula of a column reads, or may read, cells of the other column. */
  reads(column: ColumnNode, other: ColumnNode): boolean {
    return other.sameRowReaders.has(column) || this.readsOtherRows(column, other);
  }

  /** As `reads`, for cells of other rows than its own. */
  readsOtherRows(column: ColumnNode, other: ColumnNode): boolean {
    for (const { owner } of other.readers) if (owner === column) return true;
    if (this.lookups.isKeyFor(other, column)) return true;
    return this.#unresolved.has(column) && mayRead(this, column, other);
  }

  /** Returns true when the edges show everything that the formula of a column reads. */
  isResolved(column: ColumnNode): boolean {
    return !this.#unresolved.has(column);
  }

  /** Call when a column was computed for all rows, which recorded its dependencies. */
  markResolved(column: ColumnNode): void {
    this.#unresolved.delete(column);
  }

  /** Moves the largest lookup maps to a file while all maps take more memory. */
  moveLookupsToFile(file: IndexFile, maxBytes: number): void {
    if (this.lookups.bytes <= maxBytes) return;
    this.lookups.dropLists();
    this.lookups.moveToFile(file, maxBytes);
  }

  /**
   * Drops the largest lookup maps while all maps take more memory. The columns that read them have unknown dependencies
   * until they are computed for all rows again.
   */
  limitMemory(maxBytes: number): void {
    if (this.lookups.bytes <= maxBytes) return;
    this.lookups.dropLists();
    const readers = new Set<ColumnNode>();
    for (const map of this.lookups.shrinkTo(maxBytes)) for (const column of map.readers.keys()) readers.add(column);
    for (const column of readers) this.#forget(column);
  }

  /** Drops all recorded dependencies of a column. */
  #forget(column: ColumnNode): void {
    for (const table of [...this.tables.values(), ...this.#otherTables.values()]) {
      for (const { readers } of table.columns.values()) {
        for (const reader of readers) if (reader.owner === column) readers.delete(reader);
      }
    }
    this.lookups.removeReader(column);
    this.#ownPaths.delete(column);
    if (!column.trigger && !linkStatically(this, column)) this.#unresolved.add(column);
  }

  /** Drops what removed rows of a formula column looked up. */
  removeRows(column: ColumnNode, rows: readonly number[]): void {
    for (const map of this.#ownPaths.get(column)?.lookups.keys() ?? []) {
      const reader = map.readerFor(column);
      for (const row of rows) reader.remove(row);
    }
  }
}
