import { readColumns } from "../columns/columns.ts";
import type { Column } from "../columns/columns.ts";
import type { ColumnListing, DocumentSettings, RecordsPage } from "../../../../base/table-data.ts";
import { api } from "../../../../base/client/api.ts";
import type { ComboboxOption } from "./combobox.ts";
import { OptionDetails } from "./option-details.ts";

/** Number of records loaded as options; in larger tables the others are found by their full text. */
const MAX_LOADED = 1000;
const MAX_RESULTS = 50;

interface LoadedTargets {
  readonly options: readonly ComboboxOption[];
  readonly isComplete: boolean;
  /** The display column, as used by filters of the API; null when references show ids. */
  readonly columnId: string | null;
}

interface ReferenceTargetOptions {
  readonly settings: DocumentSettings;
  /** Whether other columns distinguish options that read alike. */
  readonly hasDetails: boolean;
}

/** The records that a reference can point to, by display value. */
export class ReferenceTargets {
  readonly #path: string;
  readonly #column: Column;
  /** Null where options show nothing but their text. */
  readonly #details: OptionDetails | null;
  #loaded: Promise<LoadedTargets> | undefined;
  #searches = 0;
  #offered: readonly ComboboxOption[] = [];

  /** @param settings the formats of second lines */
  constructor(docId: string, column: Column, { settings, hasDetails }: ReferenceTargetOptions) {
    this.#column = column;
    this.#details = hasDetails ? new OptionDetails(settings) : null;
    this.#path = `/api/docs/${docId}/tables/${encodeURIComponent(column.type.target ?? "")}`;
  }

  /** Returns the records whose text contains the typed text. */
  async search(text: string): Promise<readonly ComboboxOption[]> {
    this.#searches++;
    try {
      const loaded = await (this.#loaded ??= this.#load());
      const needle = text.trim().toLowerCase();
      const found = loaded.options.filter(({ label }) => label.toLowerCase().includes(needle)).slice(0, MAX_RESULTS);
      const isFound = found.length > 0 || loaded.isComplete || needle === "";
      const options = isFound ? found : await this.#searchExact(text.trim(), loaded);
      return this.#details?.tellApart(options) ?? options;
    } catch {
      // The field still accepts text; it is looked up on commit.
      this.#loaded = undefined;
      return [];
    } finally {
      this.#searches--;
    }
  }

  /** True until all started searches are done: the typed text may match a record that is not loaded. */
  get isSearching(): boolean {
    return this.#searches > 0;
  }

  /** Returns the loaded record with exactly this text. */
  findExact(text: string): ComboboxOption | undefined {
    return this.#offered.find(({ label }) => label === text);
  }

  async #load(): Promise<LoadedTargets> {
    const { columns } = await api<{ columns: ColumnListing[] }>(`${this.#path}/columns`, { query: { hidden: true } });
    const listing = columns.find(({ fields }) => fields.colRef === this.#column.visibleRef);
    const sort = listing?.id ?? "id";
    const query = { limit: MAX_LOADED, total: true, hidden: true, sort };
    const page = await api<RecordsPage>(`${this.#path}/records`, { query });
    const options = this.#options(page, columns, listing?.id ?? null);
    return { options, isComplete: page.total <= MAX_LOADED, columnId: listing?.id ?? null };
  }

  #options(page: RecordsPage, columns: readonly ColumnListing[], columnId: string | null): ComboboxOption[] {
    const settings = { locale: "en-US", timezone: "UTC" };
    const shown = readColumns({ columns, shown: {}, settings }).find(({ id }) => id === columnId);
    const options = page.records.map((row) => ({ value: row.id, label: shown ? shown.text(row) : String(row.id) }));
    this.#offered = [...this.#offered, ...options];
    this.#details?.add(page.records, columns, columnId);
    return options.filter(({ label }) => label !== "");
  }

  async #searchExact(text: string, { columnId }: LoadedTargets): Promise<readonly ComboboxOption[]> {
    if (columnId === null) return [];
    const { columns } = await api<{ columns: ColumnListing[] }>(`${this.#path}/columns`, { query: { hidden: true } });
    const query = { filter: JSON.stringify({ [columnId]: [text] }), limit: MAX_RESULTS, total: true, hidden: true };
    return this.#options(await api<RecordsPage>(`${this.#path}/records`, { query }), columns, columnId);
  }
}
