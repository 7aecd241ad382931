import { KEY_PATTERN } from "../../exchange/schema-file/model.ts";
import type { Database } from "../../sqlite/database.ts";
import type { OpenDocument } from "../document.ts";
import { hasTable } from "../migrations/stored-tables.ts";
import type { ColumnInfo, TableInfo } from "../schema.ts";

/**
 * The keys of tables and columns in schema files. A key is recorded when a schema file is applied; until then it is the
 * id. They are in the table of the file format that is for extensions, so copies and downloads of the document have them.
 */

const TABLE = "_gristsys_PluginData";
const PLUGIN = "quern.schema";

/** The maximum number of former ids that are kept for each table and column. */
const MAX_FORMER_IDS = 20;

/** What is recorded about a table or column. */
export interface RecordedKey {
  readonly key: string;
  /** Ids that it had before schema files renamed it; formulas in files may still contain them. */
  readonly formerIds: readonly string[];
}

type Kind = "table" | "column";

export class SchemaKeys {
  readonly #recorded: ReadonlyMap<string, RecordedKey>;
  readonly #assigned: ReadonlyMap<string, string>;
  readonly #tables = new Map<number, string>();
  readonly #columns = new Map<number, string>();

  /** @param assigned keys by `table:` or `column:` and the number, which take precedence over those recorded */
  constructor(document: Pick<OpenDocument, "db" | "schema">, assigned: ReadonlyMap<string, string> = new Map()) {
    this.#recorded = readRecorded(document.db);
    this.#assigned = assigned;
    const { tables } = document.schema;
    this.#assign("table", tables, this.#tables);
    // Columns that a summary groups by have the keys of the columns of its source.
    for (const table of tables) this.#assign("column", table.columns.filter(isNotGrouping), this.#columns);
    for (const { ref, summarySourceCol } of tables.flatMap(({ columns }) => columns)) {
      if (summarySourceCol > 0) this.#columns.set(ref, this.ofColumn(summarySourceCol));
    }
  }

  /** Returns the key of a table; empty if it does not exist. */
  ofTable(ref: number): string {
    return this.#tables.get(ref) ?? "";
  }

  /** Returns the key of a column; empty if it does not exist. */
  ofColumn(ref: number): string {
    return this.#columns.get(ref) ?? "";
  }

  recorded(kind: Kind, ref: number): RecordedKey | undefined {
    return this.#recorded.get(nameOf(kind, ref));
  }

  /** Recorded keys first; others get their id, or a similar key if that is taken. */
  #assign(kind: Kind, items: readonly (TableInfo | ColumnInfo)[], keys: Map<number, string>): void {
    const taken = new Set<string>();
    for (const { ref } of items) {
      const key = this.#assigned.get(nameOf(kind, ref)) ?? this.recorded(kind, ref)?.key;
      if (key === undefined || taken.has(key)) continue;
      taken.add(key);
      keys.set(ref, key);
    }
    for (const { ref, id } of items) {
      if (keys.has(ref)) continue;
      const stem = KEY_PATTERN.test(id) ? id : `k_${id.replace(/\W/g, "_")}`.slice(0, 190);
      let key = stem;
      for (let number = 2; taken.has(key); number++) key = `${stem}_${number}`;
      taken.add(key);
      keys.set(ref, key);
    }
  }
}

const isNotGrouping = ({ summarySourceCol }: ColumnInfo): boolean => summarySourceCol === 0;

function readRecorded(db: Database): ReadonlyMap<string, RecordedKey> {
  const recorded = new Map<string, RecordedKey>();
  if (!hasTable(db, TABLE)) return recorded;
  for (const [name, text] of db.values(`select key, value from ${TABLE} where pluginId = ? order by key`, PLUGIN)) {
    const key = parseRecorded(text);
    if (key) recorded.set(String(name), key);
  }
  return recorded;
}

/** The file may come from elsewhere and contain anything. */
function parseRecorded(text: unknown): RecordedKey | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const { key, formerIds } = (JSON.parse(text) ?? {}) as { key?: unknown; formerIds?: unknown };
    if (typeof key !== "string" || !KEY_PATTERN.test(key)) return undefined;
    const ids: unknown[] = Array.isArray(formerIds) ? formerIds : [];
    return { key, formerIds: ids.filter((id): id is string => typeof id === "string" && KEY_PATTERN.test(id)) };
  } catch {
    return undefined;
  }
}

const nameOf = (kind: Kind, ref: number): string => `${kind}:${ref}`;

/** Records keys in place of all recorded before, within the transaction of the change. Returns whether they changed. */
export function recordKeys(
  db: Database,
  keys: readonly { readonly kind: Kind; readonly ref: number; readonly recorded: RecordedKey }[],
): boolean {
  const wanted = new Map(
    keys.map(({ kind, ref, recorded: { key, formerIds } }) => [
      nameOf(kind, ref),
      JSON.stringify({ key, ...(formerIds.length > 0 && { formerIds: formerIds.slice(-MAX_FORMER_IDS) }) }),
    ]),
  );
  const rows = hasTable(db, TABLE) ? db.values(`select key, value from ${TABLE} where pluginId = ?`, PLUGIN) : [];
  const known = new Map(rows.map(([name, value]) => [String(name), value]));
  const isSame = known.size === wanted.size && [...wanted].every(([name, value]) => known.get(name) === value);
  if (isSame) return false;
  db.run(`delete from ${TABLE} where pluginId = ?`, PLUGIN);
  for (const [name, value] of wanted) {
    db.run(`insert into ${TABLE} (pluginId, key, value) values (?, ?, ?)`, PLUGIN, name, value);
  }
  return true;
}

/** Forgets the keys of tables and columns that no longer exist, since their numbers may be used again. */
export function forgetRemovedKeys(db: Database): void {
  if (!hasTable(db, TABLE)) return;
  db.run(
    `delete from ${TABLE} where pluginId = ? and key not in (select 'table:' || id from _grist_Tables
     union all select 'column:' || id from _grist_Tables_column)`,
    PLUGIN,
  );
}
