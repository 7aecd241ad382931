import type { Problems } from "../../exchange/schema-file/problems.ts";
import { quote } from "../../sqlite/quote.ts";
import { columnType } from "../../values/column-type.ts";
import type { UserAction } from "../actions/apply-user-actions.ts";
import type { OpenDocument } from "../document.ts";
import type { ColumnInfo, Schema, TableInfo } from "../schema.ts";
import type { UserInfo } from "../user-info.ts";
import type { SchemaMatch } from "./match-schema.ts";
import type { SchemaKeys } from "./schema-keys.ts";
import type { WantedColumn, WantedTable } from "./wanted-schema.ts";

/** What a schema file changes in a document. */
export interface SchemaChange {
  readonly kind: "add" | "remove" | "rename" | "change";
  /** Where in the file: `tables.orders.columns.total`; of what is removed, where it would be. */
  readonly path: string;
  /** In words. */
  readonly message: string;
  /** What is lost. */
  readonly loss?: { readonly rows?: number; readonly cells?: number };
}

/** Actions that are applied one after the other; each `yield` returns when its action was applied. */
export type Steps<T = void> = Generator<UserAction, T, undefined>;

/** A schema file that is being applied to a document. */
export class Application {
  readonly document: OpenDocument;
  readonly user: UserInfo;
  readonly wanted: readonly WantedTable[];
  readonly problems: Problems;
  readonly match: SchemaMatch;
  /** The keys before the change. */
  readonly keys: SchemaKeys;
  /** The tables and columns before the change. */
  readonly before: Schema;
  readonly changes: SchemaChange[] = [];
  /** The refs of tables and columns that stay: others are new, although they may have the refs of removed ones. */
  readonly #staying: Readonly<Record<"table" | "column", ReadonlySet<number>>>;
  /** The return values of the actions. */
  readonly #retValues: readonly unknown[];

  constructor(
    given: Pick<Application, "document" | "user" | "wanted" | "problems" | "match" | "keys">,
    retValues: readonly unknown[],
  ) {
    this.document = given.document;
    this.user = given.user;
    this.wanted = given.wanted;
    this.problems = given.problems;
    this.match = given.match;
    this.keys = given.keys;
    this.before = given.document.schema;
    const { tables, columns } = given.match;
    this.#staying = { table: new Set(tables.values()), column: new Set(columns.values()) };
    this.#retValues = retValues;
  }

  /** Applies an action and returns its return value. */
  *run<T>(action: UserAction): Steps<T> {
    yield action;
    return this.#retValues.at(-1) as T;
  }

  /** The schema at this point of the change. */
  get schema(): Schema {
    return this.document.schema;
  }

  isNew(kind: "table" | "column", ref: number): boolean {
    return !this.#staying[kind].has(ref);
  }

  tableOf(wanted: WantedTable): TableInfo | undefined {
    return this.schema.tableByRef.get(this.match.tables.get(wanted) ?? 0);
  }

  columnOf(wanted: WantedColumn): ColumnInfo | undefined {
    return this.schema.columnByRef.get(this.match.columns.get(wanted) ?? 0);
  }

  tableByKey(key: string): WantedTable | undefined {
    return this.wanted.find((table) => table.key === key);
  }

  /** Returns the column with a key, also if a summary groups by it. */
  columnByKey(wanted: WantedTable, key: string): ColumnInfo | undefined {
    const column = wanted.columns.get(key);
    if (column) return this.columnOf(column);
    const source = wanted.summaryOf?.source.columns.get(key);
    const sourceRef = source && this.match.columns.get(source);
    return this.tableOf(wanted)?.columns.find(
      ({ summarySourceCol }) => summarySourceCol > 0 && summarySourceCol === sourceRef,
    );
  }

  /** Returns a type of the file with the present id of its table. */
  typeOf(type: string): string {
    const [, base, key] = /^(Ref|RefList):(.+)$/.exec(type) ?? [];
    const table = key === undefined ? undefined : this.tableByKey(key);
    return table ? `${base}:${this.tableOf(table)?.id ?? ""}` : type;
  }

  add(
    kind: SchemaChange["kind"],
    path: readonly (string | number)[],
    message: string,
    loss: SchemaChange["loss"] = {},
  ): void {
    const { rows = 0, cells = 0 } = loss;
    const lost = { ...(rows > 0 && { rows }), ...(cells > 0 && { cells }) };
    this.changes.push({
      kind,
      path: path.map(String).join("."),
      message,
      ...(Object.keys(lost).length > 0 && { loss: lost }),
    });
  }

  countRows({ id, isStored }: TableInfo): number {
    return isStored ? Number(this.document.db.values(`select count(*) from ${quote(id)}`)[0]?.[0]) : 0;
  }

  /** Counts the cells of a column that hold data. */
  countCells({ id, tableRef, type, isFormula, isStored }: ColumnInfo): number {
    const table = this.schema.tableByRef.get(tableRef);
    if (isFormula || !isStored || !table?.isStored) return 0;
    const { base } = columnType(type);
    const isEmptyAtZero = base === "Ref" || base === "Bool";
    const name = quote(id);
    const filled = `${name} is not null and ${name} <> ''${isEmptyAtZero ? ` and ${name} <> 0` : ""}`;
    return Number(this.document.db.values(`select count(*) from ${quote(table.id)} where ${filled}`)[0]?.[0]);
  }
}

/** Returns a text as it is shown in descriptions of changes. */
export const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};
