import { createRecordMapper, storedFieldIds } from "../read/cell-format.ts";
import { findReadTable } from "../read/read-table.ts";
import type { OpenDocument } from "../document.ts";
import type { Schema, TableInfo } from "../schema.ts";
import { quote } from "../../sqlite/quote.ts";

/** What may happen to a row. `remove` is ours; programs that know the others only never ask for it. */
export const EVENT_TYPES = ["add", "update", "remove"] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** A webhook as the document has it: one row of `_grist_Triggers`. Numbers that refer to nothing are 0. */
export interface Hook {
  /** The row's id. */
  readonly ref: number;
  /** What the API knows the webhook by. */
  readonly id: string;
  readonly tableRef: number;
  /** In the order given. */
  readonly eventTypes: readonly string[];
  /** The column that holds rows back until it is true. */
  readonly readyRef: number;
  /** Columns whose changes count; all when there are none. */
  readonly watchedRefs: readonly number[];
  readonly name: string | null;
  readonly memo: string | null;
  readonly isEnabled: boolean;
}

const TABLE = "_grist_Triggers";

const hooksCache = new WeakMap<Schema, readonly Hook[]>();

/** The webhooks of a document, oldest first; whether they work is not told here. */
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

/** Null for a row that does something else than call a webhook. */
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

/** A row may list several things to do; a webhook is one, by an id of its own. */
function webhookId(actions: unknown): string | null {
  if (typeof actions !== "string") return null;
  try {
    const list: unknown = JSON.parse(actions);
    for (const action of Array.isArray(list) ? (list as unknown[]) : []) {
      const { type, id } = (action ?? {}) as { type?: unknown; id?: unknown };
      if ((type === undefined || type === "webhook") && typeof id === "string" && id !== "") return id;
    }
  } catch {
    // What cannot be read is nothing that we could call.
  }
  return null;
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

const listOf = (value: unknown): unknown[] => (Array.isArray(value) && value[0] === "L" ? value.slice(1) : []);

/** What a row of `_grist_Triggers` says in its column `actions` to name a webhook. */
export const hookActions = (id: string): string => JSON.stringify([{ type: "webhook", id }]);

/** The ids of columns by their numbers; those that are not the table's are left out. */
export const columnIds = (table: TableInfo | undefined, refs: readonly number[]): string[] =>
  refs.flatMap((ref) => table?.columns.find((column) => column.ref === ref)?.id ?? []);
