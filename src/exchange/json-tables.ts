import { invalidFile } from "../errors.ts";
import type { CellValue } from "../values/cell.ts";
import { jsonCell, choicesCell, JsonColumn } from "./json-column.ts";
import { isPlainObject } from "./json-values.ts";
import { MAX_COLUMNS, type DeclaredType, type TablePart } from "./table-parts.ts";

/** Number of rows per batch. */
const BATCH_ROWS = 500;
/** Maximum nesting of tables. */
const MAX_DEPTH = 20;

/** Values that become the rows of a table. */
export interface JsonRows {
  readonly name: string;
  readonly items: readonly unknown[];
  /** The column names of items that are lists. */
  readonly labels?: readonly string[];
}

/** The parent table of nested rows. */
interface Parent {
  readonly name: string;
  readonly number: number;
  /** For each row, the number of its parent row, from 1. */
  readonly rows: readonly number[];
}

interface TablePosition {
  /** Identifies the table within the file, for references. */
  readonly number: number;
  readonly depth: number;
  readonly parent?: Parent | undefined;
}

/** Values of a key that become the rows of another table. */
interface Child {
  readonly column: JsonColumn;
  readonly number: number;
  readonly items: unknown[];
  /** For each value, the number of the row that contains it. */
  readonly rows: number[];
}

/**
 * Converts JSON values to tables: one of the values themselves, and one for each key that contains objects or lists
 * other than choice lists.
 */
export class JsonTables {
  #count = 0;

  /** Yields the parts of a table and of the tables of its keys. */
  parts(source: JsonRows): Generator<TablePart> {
    return this.#tableParts(source, { number: ++this.#count, depth: 0 });
  }

  *#tableParts(source: JsonRows, { number, depth, parent }: TablePosition): Generator<TablePart> {
    if (depth > MAX_DEPTH) throw invalidFile(`The file is nested more than ${MAX_DEPTH} levels deep`);
    const { name, items } = source;
    const columns = new JsonColumns(source);
    const children = new Map(
      columns.all
        .filter(({ kind }) => kind === "reference" || kind === "children")
        .map((column): [JsonColumn, Child] => [column, { column, number: ++this.#count, items: [], rows: [] }]),
    );
    const shown = columns.all.filter(({ kind }) => kind !== "children");
    // A single object that contains only lists just names their tables.
    const isOmitted = depth === 0 && shown.length === 0 && items.length <= 1;
    if (!isOmitted) {
      const labels = [...shown.map(({ label }) => label), ...(parent ? [parent.name] : [])];
      if (labels.length > MAX_COLUMNS) throw tooManyColumns(name);
      yield { kind: "table", name, labels, number };
    }
    for (let at = 0; at < items.length; at += BATCH_ROWS) {
      const batch = items.slice(at, at + BATCH_ROWS).map((item, i) => columns.cellsOf(item, at + i + 1, children));
      if (parent) for (const [i, row] of batch.entries()) row.push(parent.rows[at + i] ?? 0);
      if (!isOmitted) yield { kind: "rows", rows: batch };
    }
    if (!isOmitted) {
      const types = shown.map((column) => declaredType(column, children.get(column)));
      yield { kind: "types", types: parent ? [...types, { kind: "reference", parts: parent.number }] : types };
    }
    for (const child of children.values()) {
      const isList = child.column.kind === "children" && !isOmitted;
      const childSource = { name: `${name}_${child.column.label}`, items: child.items };
      const to = isList ? { name, number, rows: child.rows } : undefined;
      yield* this.#tableParts(childSource, { number: child.number, depth: depth + 1, parent: to });
    }
  }
}

function declaredType(column: JsonColumn, child: Child | undefined): DeclaredType | null {
  if (child) return { kind: "reference", parts: child.number };
  return column.kind === "choices" ? { kind: "choices", choices: column.choices } : null;
}

/** The columns of a table, in the order in which keys and positions first occur. */
class JsonColumns {
  readonly all: JsonColumn[] = [];
  readonly #byKey = new Map<string | number, JsonColumn>();
  readonly #name: string;

  constructor({ name, items, labels = [] }: JsonRows) {
    this.#name = name;
    for (const [at, label] of labels.entries()) this.#columnFor(at, label);
    for (const item of items) {
      for (const [key, value] of entriesOf(item)) this.#columnFor(key, typeof key === "number" ? "" : key).add(value);
    }
  }

  /** Returns the cells of a row and adds values that become rows of other tables to `children`. */
  cellsOf(item: unknown, number: number, children: ReadonlyMap<JsonColumn, Child>): CellValue[] {
    const values = new Map(Array.from(entriesOf(item), ([key, value]) => [this.#byKey.get(key), value]));
    const cells: CellValue[] = [];
    for (const column of this.all) {
      const value = values.get(column);
      const child = children.get(column);
      if (!child) cells.push(column.kind === "choices" ? choicesCell(value) : cellOrNull(column, value));
      else if (column.kind === "reference") cells.push(isFilled(value) ? child.items.push(value) : null);
      else addChildren(child, value, number);
    }
    return cells;
  }

  #columnFor(key: string | number, label: string): JsonColumn {
    let column = this.#byKey.get(key);
    if (column) return column;
    if (this.all.length === MAX_COLUMNS) throw tooManyColumns(this.#name);
    column = new JsonColumn(label);
    this.#byKey.set(key, column);
    this.all.push(column);
    return column;
  }
}

/** Yields the keys of an object, the positions of a list, or the first position for any other value. */
function* entriesOf(item: unknown): Generator<[string | number, unknown]> {
  if (Array.isArray(item)) yield* item.entries();
  else if (isPlainObject(item)) yield* Object.entries(item);
  else yield [0, item];
}

const isFilled = (value: unknown): boolean => isPlainObject(value) && Object.keys(value).length > 0;

/** Converters from XML to JSON write a list with one object as that object. */
function addChildren(child: Child, value: unknown, row: number): void {
  const list: readonly unknown[] = Array.isArray(value) ? value : isFilled(value) ? [value] : [];
  for (const item of list) {
    child.items.push(item);
    child.rows.push(row);
  }
}

function cellOrNull(column: JsonColumn, value: unknown): CellValue {
  const isNothing = column.kind === "empty" || (column.kind === "cells" && typeof value === "object");
  return isNothing ? null : jsonCell(value, column.label);
}

const tooManyColumns = (name: string) =>
  invalidFile(`${JSON.stringify(name)} has more than ${MAX_COLUMNS} different keys, the maximum number of columns`);
