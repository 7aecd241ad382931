import { isDeepStrictEqual } from "node:util";
import { METADATA_TABLES } from "../../../src/doc/metadata-tables.ts";
import type { Caller, TestApp } from "../../helpers/app.ts";

/** The content of a document as a caller reads it, and the difference of two contents in the form of a dry run. */

type Fields = Record<string, unknown>;

interface TableContent {
  readonly name: string;
  /** By column ref, or by id in metadata tables. */
  readonly columns: ReadonlyMap<number | string, { readonly id: string; readonly isFormula: boolean }>;
  readonly rows: ReadonlyMap<number, Fields>;
}

/** Tables by ref, and metadata tables by name. */
export type Content = ReadonlyMap<number | string, TableContent>;

interface Listed {
  readonly tables: { id: string; fields: { tableRef: number } }[];
}
interface ListedColumns {
  readonly columns: { id: string; fields: { colRef: number; isFormula: boolean } }[];
}
interface Records {
  readonly records: { id: number; fields: Fields; errors?: Record<string, string> }[];
}

/** Reads everything that a caller can read. */
export async function readContent(server: TestApp, doc: string, as: Caller = "owner"): Promise<Content> {
  const read = async <T>(path: string): Promise<T | null> => {
    const { status, body } = await server.call(as, "GET", `${doc}/${path}`);
    return status === 200 ? (body as T) : null;
  };
  const content = new Map<number | string, TableContent>();
  const { tables } = (await read<Listed>("tables")) ?? { tables: [] };
  for (const { id, fields } of tables) {
    const columns = (await read<ListedColumns>(`tables/${id}/columns`))?.columns ?? [];
    const byRef = new Map(columns.map((column) => [column.fields.colRef, { ...column.fields, id: column.id }]));
    content.set(fields.tableRef, { name: id, columns: byRef, rows: rowsOf(await read(`tables/${id}/records`)) });
  }
  for (const { id } of METADATA_TABLES) {
    const rows = rowsOf(await read(`tables/${id}/records`));
    const names = new Set([...rows.values()].flatMap((fields) => Object.keys(fields)));
    const columns = new Map([...names].map((name) => [name, { id: name, isFormula: false }]));
    content.set(id, { name: id, columns, rows });
  }
  return content;
}

const rowsOf = (read: Records | null): Map<number, Fields> =>
  new Map(
    (read?.records ?? []).map(({ id, fields, errors }) => [
      id,
      { ...fields, ...Object.fromEntries(Object.entries(errors ?? {}).map(([column, name]) => [column, ["E", name]])) },
    ]),
  );

const EMPTY = new Set<unknown>([null, "", 0, false, undefined]);

interface Difference {
  readonly rows: { added: number; changed: number; removed: number };
  readonly changedCells: number;
  readonly added: unknown[];
  readonly changed: { id: number; before: Fields; after: Fields }[];
  readonly removed: unknown[];
}

/** Returns the difference of two contents by the names of tables. */
export function difference(before: Content, after: Content): Record<string, Difference> {
  const found: Record<string, Difference> = {};
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(key), after.get(key)];
    const changed: Difference["changed"] = [];
    const added = entries(now).filter(([id]) => !old?.rows.has(id));
    const removed = entries(old).filter(([id]) => !now?.rows.has(id));
    for (const [id, fields] of entries(now)) {
      const former = old?.rows.get(id);
      if (!old || !now || !former) continue;
      const row = changedRow({ old, now }, former, fields);
      if (Object.keys(row.after).length > 0) changed.push({ id, ...row });
    }
    if (added.length + removed.length + changed.length === 0) continue;
    found[now?.name ?? old?.name ?? ""] = {
      rows: { added: added.length, changed: changed.length, removed: removed.length },
      changedCells: changed.reduce((sum, row) => sum + Object.keys(row.after).length, 0),
      added: added.map(([id, fields]) => ({ id, fields })),
      changed,
      removed: removed.map(([id, fields]) => ({ id, fields })),
    };
  }
  return found;
}

const entries = (table: TableContent | undefined): [number, Fields][] =>
  [...(table?.rows ?? [])].toSorted(([a], [b]) => a - b);

function changedRow({ old, now }: { old: TableContent; now: TableContent }, former: Fields, fields: Fields) {
  const before: Fields = {};
  const after: Fields = {};
  for (const [ref, { id }] of now.columns) {
    const name = old.columns.get(ref)?.id;
    if (name === undefined) {
      if (!EMPTY.has(fields[id])) after[id] = fields[id];
    } else if (!isDeepStrictEqual(former[name], fields[id])) {
      before[name] = former[name];
      after[id] = fields[id];
    }
  }
  return { before, after };
}

interface Report {
  readonly tables: {
    table: string;
    rows: Difference["rows"];
    cells: { changed: number };
    added: unknown[];
    changed: { id: number; before: Fields; after: Fields }[];
    removed: unknown[];
  }[];
}

/** Returns a report of a dry run in the form of `difference`. */
export const reported = ({ tables }: Report): Record<string, Difference> =>
  Object.fromEntries(
    tables.map(({ table, rows, cells, added, changed, removed }) => [
      table,
      {
        rows,
        changedCells: cells.changed,
        added,
        changed: changed.map(({ id, before, after }) => ({ id, before, after })),
        removed,
      },
    ]),
  );
