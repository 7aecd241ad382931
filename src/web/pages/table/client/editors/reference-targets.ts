import { readColumns } from "../columns/columns.ts";
import type { Column } from "../columns/columns.ts";
import type { ColumnListing, DocumentSettings, RecordsPage } from "../../../../base/table-data.ts";
import { api, isAborted } from "../../../../base/client/api.ts";
import type { ComboboxOption } from "./combobox-option.ts";
import { OptionDetails } from "./option-details.ts";
import { accentPattern, rankMatches } from "./text-match.ts";

/** Number of records loaded as options; larger tables are searched by the server. */
const MAX_LOADED = 1000;
const MAX_RESULTS = 50;
/** Debounces requests while the user types. */
const DEBOUNCE_MS = 150;
/** A search for other accents reads the text of every row, so it is limited to tables of this size. */
const MAX_ACCENT_ROWS = 100_000;

/** Types whose values the API searches as texts. */
const TEXTS: ReadonlySet<string> = new Set(["Text", "Choice", "Any", "Ref"]);

interface LoadedTargets {
  readonly options: readonly ComboboxOption[];
  readonly total: number;
  readonly columns: readonly ColumnListing[];
  /** The display column; null when references show ids. */
  readonly shown: Column | null;
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
  readonly #settings: DocumentSettings;
  /** Null where options show nothing but their text. */
  readonly #details: OptionDetails | null;
  #loading: Promise<LoadedTargets> | undefined;
  #shown: Column | null = null;
  #abort = new AbortController();
  #searches = 0;
  #offered: readonly ComboboxOption[] = [];

  /** @param settings the formats of texts and second lines */
  constructor(docId: string, column: Column, { settings, hasDetails }: ReferenceTargetOptions) {
    this.#column = column;
    this.#settings = settings;
    this.#details = hasDetails ? new OptionDetails(settings) : null;
    this.#path = `/api/docs/${docId}/tables/${encodeURIComponent(column.type.target ?? "")}`;
  }

  /** Returns the records whose text contains the typed text, best matches first. Cancels the previous search. */
  async search(text: string): Promise<readonly ComboboxOption[]> {
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.#searches++;
    try {
      const loaded = await (this.#loading ??= this.#load());
      const isLocal = loaded.total <= MAX_LOADED || text.trim() === "" || loaded.shown === null;
      const found = isLocal ? loaded.options : await this.#searchAll(text.trim(), loaded, signal);
      const options = rankMatches(found, ({ label }) => label, text).slice(0, MAX_RESULTS);
      return this.#details?.tellApart(options) ?? options;
    } catch (error) {
      if (isAborted(error) || signal.aborted) return [];
      this.#loading = undefined;
      throw error;
    } finally {
      this.#searches--;
    }
  }

  /** True until all started searches are done: the typed text may match a record that is not loaded. */
  get isSearching(): boolean {
    return this.#searches > 0;
  }

  /** The column that references show, once it is loaded. */
  get shown(): Column | null {
    return this.#shown;
  }

  /** Returns the loaded record with exactly this text. */
  findExact(text: string): ComboboxOption | undefined {
    return this.#offered.find(({ label }) => label === text);
  }

  async #load(): Promise<LoadedTargets> {
    const { columns } = await api<{ columns: ColumnListing[] }>(`${this.#path}/columns`, { query: { hidden: true } });
    const shown =
      readColumns({ columns, shown: {}, settings: this.#settings }).find(
        ({ ref }) => ref === this.#column.visibleRef,
      ) ?? null;
    this.#shown = shown;
    const query = { limit: MAX_LOADED, total: true, hidden: true, sort: shown?.id ?? "id" };
    const page = await api<RecordsPage>(`${this.#path}/records`, { query });
    return { options: this.#options(page, { columns, shown }), total: page.total, columns, shown };
  }

  #options(page: RecordsPage, { columns, shown }: Pick<LoadedTargets, "columns" | "shown">): ComboboxOption[] {
    const options = page.records.map((row) => ({ value: row.id, label: shown ? shown.text(row) : String(row.id) }));
    this.#offered = [...this.#offered, ...options];
    this.#details?.add(page.records, columns, shown?.id ?? null);
    return options.filter(({ label }) => label !== "");
  }

  /** Searches all rows: for texts that begin with the typed one, then that contain it, then with other accents. */
  async #searchAll(text: string, loaded: LoadedTargets, signal: AbortSignal): Promise<ComboboxOption[]> {
    const { shown, total } = loaded;
    if (!shown) return [];
    await new Promise((resolve) => setTimeout(resolve, DEBOUNCE_MS));
    const read = async (operator: string, operand: string): Promise<ComboboxOption[]> => {
      signal.throwIfAborted();
      const filter = JSON.stringify({ [shown.id]: { [operator]: operand } });
      const query = { filter, limit: MAX_RESULTS, total: true, hidden: true, sort: shown.id };
      return this.#options(await api<RecordsPage>(`${this.#path}/records`, { query, signal }), loaded);
    };
    if (!TEXTS.has(shown.type.base)) {
      // Refused while the text is not a value of the column.
      const equal = await read("eq", text).catch(() => []);
      return [...new Map([...loaded.options, ...equal].map((option) => [option.value, option])).values()];
    }
    const pattern = total > MAX_ACCENT_ROWS ? null : accentPattern(text);
    const searches = [["startsWith", text], ["contains", text], ...(pattern === null ? [] : [["matches", pattern]])];
    const found = new Map<ComboboxOption["value"], ComboboxOption>();
    for (const [operator = "", operand = ""] of searches) {
      if (found.size >= MAX_RESULTS) break;
      for (const option of await read(operator, operand)) found.set(option.value, option);
    }
    return [...found.values()];
  }
}
