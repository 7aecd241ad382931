import { columnType } from "../../values/column-type.ts";
import type { SortOptions } from "../read/parse-sort.ts";
import type { OrderSpec } from "../read/row-ordering.ts";
import type { IndexedColumn } from "./index-source.ts";

/** The columns and options of an index, as text: the same for all requests that it answers, in all threads. */

type ColumnParts = ["column", table: string, column: string, type: string];
type TextParts = ["text", table: string, columns: [column: string, type: string][]];
type KeyParts = [column: string, type: string, descending: boolean, options: SortOptions, choices: string];
type OrderParts = ["order", table: string, keys: KeyParts[], position: string | null, idDescending: boolean];

/** What an index is about. */
export type IndexSubject =
  | { readonly kind: "column"; readonly table: string; readonly field: IndexedColumn }
  | { readonly kind: "order"; readonly table: string; readonly spec: OrderSpec }
  | { readonly kind: "text"; readonly table: string; readonly fields: readonly IndexedColumn[] };

export const columnIndexName = (table: string, { id, type }: IndexedColumn): string =>
  JSON.stringify(["column", table, id, type.text] satisfies ColumnParts);

export const textIndexName = (table: string, fields: readonly IndexedColumn[]): string =>
  JSON.stringify(["text", table, fields.map(({ id, type }) => [id, type.text])] satisfies TextParts);

/** The choices of a column are part of the name if they decide about the order. */
export function orderIndexName({ table, keys, position, idDescending }: OrderSpec): string {
  const parts = keys.map(({ field, key: { descending, options } }): KeyParts => {
    return [field.id, field.type.text, descending, options, options.orderByChoice ? field.widgetOptions : ""];
  });
  return JSON.stringify(["order", table, parts, position, idDescending] satisfies OrderParts);
}

/** Returns what a name is about. */
export function indexSubject(name: string): IndexSubject {
  const parts = JSON.parse(name) as ColumnParts | OrderParts | TextParts;
  if (parts[0] === "column") {
    const [, table, id, type] = parts;
    return { kind: "column", table, field: { id, type: columnType(type) } };
  }
  if (parts[0] === "text") {
    const [, table, columns] = parts;
    return { kind: "text", table, fields: columns.map(([id, type]) => ({ id, type: columnType(type) })) };
  }
  const [, table, keys, position, idDescending] = parts;
  const spec = {
    table,
    position,
    idDescending,
    keys: keys.map(([id, type, descending, options, widgetOptions]) => {
      const field = { id, type: columnType(type), absent: undefined, isHidden: false, widgetOptions };
      return { field, key: { field, descending, options } };
    }),
  };
  return { kind: "order", table, spec };
}
