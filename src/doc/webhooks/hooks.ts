import { createRecordMapper, storedFieldIds } from "../read/cell-format.ts";
import { findReadTable } from "../read/read-table.ts";
import type { OpenDocument } from "../document.ts";
import type { Schema, TableInfo } from "../schema.ts";
import { quote } from "../../sqlite/quote.ts";

/** Row events. `remove` is an extension; programs that only know the other two never request it. */
export const EVENT_TYPES = ["add", "update", "remove"] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** A webhook definition: one row of `_grist_Triggers`. Empty references are 0. */
export interface Hook {
  /** The row id. */
  readonly ref: number;
  /** The id in the API. */
  readonly id: string;
  readonly tableRef: number;
  /** In their stored order. */
  readonly eventTypes: readonly string[];
  /** The column that holds events back until it is true. */
  readonly readyRef: number;
  /** Columns whose changes trigger events; all columns when empty. */
  readonly watchedRefs: readonly number[];
  readonly name: string | null;
  readonly memo: string | null;
  readonly isEnabled: boolean;
}

const TABLE = "_grist_Triggers";

const hooksCache = new WeakMap<Schema, readonly Hook[]>();

/** Returns the webhooks of a document, oldest first, including disabled ones. */
export function readHooks(document: Pick<OpenDocument, "db" | "schema">): readonly Hook[] {
  const { db, schema } = document;
  let hooks = hooksCache.get(schema);
  if (hooks) return hooks;
  const table = findReadTable(schema, TABLE);
  const columns = ["id", ...storedFieldIds(table.fields)].map(quote).join(", ");
  const make = createRecordMapper(table.fields, "coded");
  const rows = table.isStored ? db.values(`select ${columns} from ${table.from} order by id`) : [];
  hooks = rows.flatMap((row) => {
    const { id, fields } = make(row);
    return toHook(Number(id), fields) ?? [];
  });
  hooksCache.set(schema, hooks);
  return hooks;
}

/** Null for a trigger without a webhook action. */
function toHook(ref: number, fields: Readonly<Record<string, unknown>>): Hook | null {
  const id = webhookId(fields["actions"]);
  if (id === null) return null;
  return {
    ref,
    id,
    tableRef: Number(fields["tableRef"]) || 0,
    eventTypes: listOf(fields["eventTypes"]).map(String),
    readyRef: Number(fields["isReadyColRef"]) || 0,
    watchedRefs: listOf(fields["watchedColRefList"]).map(Number),
    name: textOf(fields["label"]),
    memo: textOf(fields["memo"]),
    isEnabled: fields["enabled"] === true,
  };
}

/** A trigger may have several actions; a webhook action has its own id. */
function webhookId(actions: unknown): string | null {
  if (typeof actions !== "string") return null;
  try {
    const list: unknown = JSON.parse(actions);
    for (const action of Array.isArray(list) ? (list as unknown[]) : []) {
      const { type, id } = (action ?? {}) as { type?: unknown; id?: unknown };
      if ((type === undefined || type === "webhook") && typeof id === "string" && id !== "") return id;
    }
  } catch {
    // Actions that cannot be parsed have no webhook to call.
  }
  return null;
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

const listOf = (value: unknown): unknown[] => (Array.isArray(value) && value[0] === "L" ? value.slice(1) : []);

/** Returns the `actions` cell of a `_grist_Triggers` row for a webhook. */
export const hookActions = (id: string): string => JSON.stringify([{ type: "webhook", id }]);

/** Returns the ids of columns by ref; omits columns of other tables. */
export const columnIds = (table: TableInfo | undefined, refs: readonly number[]): string[] =>
  refs.flatMap((ref) => table?.columns.find((column) => column.ref === ref)?.id ?? []);
