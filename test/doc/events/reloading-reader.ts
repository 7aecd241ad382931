import type { ChangeFeedEntry, TableChangeEntry } from "../../../src/doc/events/change-feed.ts";
import type { Snapshot } from "../history/snapshot.ts";

/** A table as a reader knows it: cells as JSON by row and column; null when it must be reloaded. */
type KnownTable = Map<number, Map<string, string | null>> | null;

/** A reader with a full copy of a document that reloads only what the feed reports as changed. */
export class Reader {
  readonly #tables = new Map<string, KnownTable>();

  constructor(moment: Snapshot) {
    for (const [id, columns] of moment) {
      const rows = new Map<number, Map<string, string | null>>();
      for (const [column, cells] of columns) {
        for (const [row, cell] of cells) rows.set(row, (rows.get(row) ?? new Map()).set(column, cell));
      }
      // Without columns the rows are unknown.
      this.#tables.set(id, columns.size > 0 ? rows : null);
    }
  }

  receive({ tables }: ChangeFeedEntry): void {
    const names = new Set(tables.map(({ table, isGone }) => (isGone ? null : table)));
    for (const { table, isGone, renamedFrom } of tables) {
      const gone = isGone ? table : renamedFrom;
      if (gone !== undefined && !names.has(gone)) this.#tables.delete(gone);
    }
    for (const reported of tables) if (!reported.isGone) this.#note(reported);
  }

  #note({ table, all, isNew, renamedFrom, added = [], updated = [], removed = [], columns }: TableChangeEntry): void {
    const rows = this.#tables.get(table);
    if (isNew || renamedFrom !== undefined || (all && !columns)) return void this.#tables.set(table, null);
    if (!rows) return;
    for (const id of removed) rows.delete(id);
    for (const id of added) rows.set(id, new Map());
    for (const id of all ? rows.keys() : updated) {
      for (const column of columns ?? []) rows.get(id)?.set(column, null);
    }
  }

  /** Returns the reader's outdated data, each as a sentence. */
  mistakes(now: Snapshot): string[] {
    const wrong: string[] = [];
    for (const id of this.#tables.keys()) if (!now.has(id)) wrong.push(`there is no ${id} any more`);
    for (const [id, columns] of now) {
      const known = this.#tables.get(id);
      if (known === undefined) wrong.push(`${id} is new`);
      if (known) wrong.push(...mistakesIn(id, known, columns));
    }
    return wrong;
  }
}

function mistakesIn(
  table: string,
  known: NonNullable<KnownTable>,
  columns: ReadonlyMap<string, ReadonlyMap<number, string>>,
): string[] {
  const wrong: string[] = [];
  const ids = new Set([...columns.values()].flatMap((cells) => [...cells.keys()]));
  for (const id of ids) if (!known.has(id)) wrong.push(`${table} has a row ${id}`);
  for (const [id, cells] of known) {
    if (!ids.has(id)) wrong.push(`${table} has no row ${id}`);
    for (const [column, cell] of cells) {
      const is = columns.get(column)?.get(id);
      if (cell !== null && is !== cell) wrong.push(`${table}.${column} of row ${id} is ${is}, not ${cell}`);
    }
  }
  return wrong;
}
