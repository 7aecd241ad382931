import type { ColumnInfo, TableInfo } from "../../../src/doc/schema.ts";
import { columnType } from "../../../src/values/column-type.ts";
import type { Random } from "../../helpers/random.ts";
import type { Scratch } from "./scratch.ts";

/** The document for which a generator chooses the next action. */
export class Source {
  readonly random: Random;
  readonly #scratch: Scratch;

  constructor(scratch: Scratch, random: Random) {
    this.#scratch = scratch;
    this.random = random;
  }

  get tables(): readonly TableInfo[] {
    return this.#scratch.document.schema.tables;
  }

  /** Returns a table; rarely a summary, because most actions on summaries are refused. */
  table(): TableInfo | undefined {
    const { random, tables } = this;
    const isWanted = random.oneIn(6) ? () => true : ({ summarySourceTable }: TableInfo) => summarySourceTable === 0;
    return random.pickAny(tables.filter(isWanted));
  }

  /** Returns a table with one of its columns; rarely a helper column. */
  column(fits: (column: ColumnInfo) => boolean = () => true): { table: TableInfo; column: ColumnInfo } | undefined {
    const table = this.table();
    const isHidden = this.random.oneIn(20);
    const column = this.random.pickAny((table?.columns ?? []).filter((one) => one.isHidden === isHidden && fits(one)));
    return table && column ? { table, column } : undefined;
  }

  /** Returns the ids of all rows. */
  ids(table: string): number[] {
    return this.#scratch.document.db.values(`select id from "${table}" order by id`).map(([id]) => Number(id));
  }

  /** Returns a row id; sometimes a missing one. */
  id(table: string): number {
    const ids = this.ids(table);
    return ids.length === 0 || this.random.oneIn(25) ? 99 : this.random.pick(ids);
  }

  /** Returns the rows of a metadata table with some of its columns. */
  records(table: string, ...columns: string[]): { id: number; values: unknown[] }[] {
    const rows = this.#scratch.document.db.values(`select ${["id", ...columns].join(", ")} from ${table} order by id`);
    return rows.map(([id, ...values]) => ({ id: Number(id), values }));
  }

  record(table: string, ...columns: string[]): { id: number; values: unknown[] } | undefined {
    return this.random.pickAny(this.records(table, ...columns));
  }
}

export const shown = ({ columns }: TableInfo): ColumnInfo[] => columns.filter((column) => !column.isHidden);

const TYPES =
  "Text Numeric Int Bool Date DateTime:Europe/Berlin DateTime:America/New_York Choice ChoiceList Any Attachments".split(
    " ",
  );
const TEXTS = ["", "12", "-4.5", "word", "true", "2024-05-02", "a, b", "[1,2]", " 7 ", "É 表", "1e3", "a", "b", "red"];
const PLAIN = [0, 1, 2, 3, -1, 2.5, 1e21, 86400, 1_700_000_000, true, false, null];
const CODED = [
  ["L", "a", "b"],
  ["L", "red"],
  ["L"],
  ["L", 1, 2],
  ["L", 3],
  ["d", 86400],
  ["D", 1_700_000_000, "Europe/Berlin"],
  ["E", "ValueError"],
  ["O", { a: 1 }],
];

/** Cell values of every kind. */
export const VALUES: readonly unknown[] = [...TEXTS, ...PLAIN, ...CODED];

export const NAMES: readonly string[] =
  "Name,name,x,Total,class,2nd,Ä ö,,gristHelper,A,manualSort,id,group,count,Owner,B,Big Name".split(",");
export const TABLE_NAMES = ["People", "people", "Things", "T", "", "Café", "2024", "None", "Big Table"];
export const OPTIONS = [
  '{"wrap":true}',
  '{"choices":["a","b","red"],"choiceOptions":{"a":{"fillColor":"#ff0000"}}}',
  '{"dateFormat":"DD.MM.YYYY"}',
  '{"numMode":"currency","decimals":2}',
  '{"rulesOptions":[{"fillColor":"#00ff00"}]}',
  "",
];

export function typeOf({ random, tables }: Source): string {
  if (random.below(3) > 0 || tables.length === 0) return random.pick(TYPES);
  return `${random.pick(["Ref", "RefList"])}:${random.pick(tables).id}`;
}

const FIXED_FORMULAS = [
  "$A",
  "$A + 1",
  "$B * 2",
  "UPPER($Name)",
  "1 / 0",
  "$x or $A",
  "$C",
  "",
  "$Nope.x",
  "2 +",
  "rec",
];

/**
 * Returns a formula for a column of the table, which may fail. It reads neither the clock nor random numbers, and mostly
 * columns older than its own, because results of circular references depend on the evaluation order.
 */
export function formulaFor({ random, tables }: Source, table: TableInfo, own?: ColumnInfo): string {
  if (random.oneIn(4)) return random.pick(FIXED_FORMULAS);
  const isReadable = ({ id, ref }: ColumnInfo) => id !== "manualSort" && ref < (own?.ref ?? Infinity);
  const name = (of: TableInfo) => random.pickAny(of.columns.filter(isReadable))?.id ?? "id";
  const mine = name(table);
  const other = tables.length > 0 ? random.pick(tables) : table;
  const theirs = name(other);
  const { id } = other;
  return random.pick([
    `$${mine}`,
    `str($${mine}) + "!"`,
    `$${mine} or $${name(table)}`,
    `$${mine}.${theirs}`,
    `len(${id}.lookupRecords(${theirs}=$${mine}))`,
    `${id}.lookupOne(${theirs}=$${mine}).${name(other)}`,
    `${id}.lookupRecords(${theirs}=CONTAINS($${mine}), order_by="-${name(other)}").id`,
    `${id}.lookupRecords(${theirs}=$${mine})`,
    `SUM(${id}.all.${theirs})`,
    `[r.${theirs} for r in ${id}.all if r.${name(other)}]`,
    `PREVIOUS(rec, order_by="${mine}").${name(table)}`,
    `RANK(rec, order_by="${mine}")`,
    `if $${mine}:\n  x = $${name(table)}\n  return x\nelse:\n  return None`,
    `SUM($group.${theirs})`,
    `len($group)`,
    `IFERROR($${mine} / 2, "none")`,
  ]);
}

/** Returns values for rows: writable columns, and sometimes a read-only one. */
export function cellsFor({ random }: Source, table: TableInfo, count: number): Record<string, unknown[]> {
  const columns = shown(table).filter((column) => !column.isFormula || column.formula === "" || random.oneIn(40));
  const chosen = columns.filter(() => random.below(3) > 0);
  return Object.fromEntries(
    chosen.map((column) => [column.id, Array.from({ length: count }, () => cellFor(random, column))]),
  );
}

export const rowFor = (source: Source, table: TableInfo): Record<string, unknown> =>
  Object.fromEntries(Object.entries(cellsFor(source, table, 1)).map(([id, [value]]) => [id, value]));

/** Returns a value, mostly of the column's type, because other values would fill tables with mismatched texts. */
export function cellFor(random: Random, { type }: ColumnInfo): unknown {
  if (random.oneIn(3)) return random.pick(VALUES);
  const number = random.below(5);
  switch (columnType(type).base) {
    case "Ref":
    case "Int":
      return number;
    case "RefList":
    case "Attachments":
      return random.pick([null, ["L", 1], ["L", 1, 2], ["L", 3, 1]]);
    case "ChoiceList":
      return random.pick([null, ["L", "a"], ["L", "b", "a"], ["L", "red"]]);
    case "Choice":
    case "Text":
      return random.pick(TEXTS);
    case "Bool":
      return random.oneIn(2);
    default:
      return random.pick(PLAIN);
  }
}
