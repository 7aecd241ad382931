/** The texts of rows that filters refer to by their ids. */
import { apiWithRetry } from "../../../../base/client/api.ts";
import type { RecordsPage } from "../../../../base/table-data.ts";
import type { FilterField, FilterFields } from "./filter-fields.ts";
import { MAX_VALUES } from "./filter-model.ts";

export class ReferenceLabels {
  readonly #docId: string;
  readonly #fields: FilterFields;
  readonly #loaded: () => void;
  /** By path and row id. */
  readonly #labels = new Map<string, string>();
  readonly #requested = new Set<string>();
  readonly #pending = new Map<string, Set<number>>();

  /** @param loaded called when labels have arrived */
  constructor(docId: string, fields: FilterFields, loaded: () => void) {
    this.#docId = docId;
    this.#fields = fields;
    this.#loaded = loaded;
  }

  /** Returns the text of a row; null until it is loaded. */
  labelOf(field: FilterField, id: number): string | null {
    const known = this.#labels.get(keyOf(field.path, id));
    if (known === undefined) this.#request(field, id);
    return known ?? null;
  }

  /** Adds a label that is known already. */
  add({ path }: FilterField, id: number, label: string): void {
    this.#labels.set(keyOf(path, id), label);
  }

  #request(field: FilterField, id: number): void {
    const key = keyOf(field.path, id);
    if (this.#requested.has(key)) return;
    this.#requested.add(key);
    const before = this.#pending.get(field.path);
    if (before) {
      before.add(id);
      return;
    }
    this.#pending.set(field.path, new Set([id]));
    // All ids of a filter are requested in one turn.
    queueMicrotask(() => void this.#load(field));
  }

  async #load(field: FilterField): Promise<void> {
    const ids = [...(this.#pending.get(field.path) ?? [])].slice(0, MAX_VALUES);
    this.#pending.delete(field.path);
    const target = field.column.type.target ?? "";
    try {
      const query = { filter: JSON.stringify({ id: ids }), hidden: true };
      const url = `/api/docs/${this.#docId}/tables/${encodeURIComponent(target)}/records`;
      const { records } = await apiWithRetry<RecordsPage>(url, { query });
      const columns = await this.#fields.loadColumns(target);
      const visible = columns.find(({ ref }) => ref === field.column.visibleRef);
      for (const row of records) if (visible) this.add(field, row.id, visible.text(row));
    } catch {
      // Without access to the table, ids are shown.
    }
    for (const id of ids) if (!this.#labels.has(keyOf(field.path, id))) this.add(field, id, String(id));
    this.#loaded();
  }
}

const keyOf = (path: string, id: number): string => `${path} ${id}`;
