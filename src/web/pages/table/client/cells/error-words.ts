/** Errors of formulas in a few words, as cells show them. */
import { t } from "../../../../base/client/texts.ts";
import { fetchCellErrors, MAX_ERRORS, type TablePlace } from "../columns/formula-errors.ts";

/** Errors whose message names what is missing. */
const NAMED = {
  AttributeError: { message: /^the table has no column '(\w+)'$/, key: "cellError.noColumn" },
  NameError: { message: /^name '(\w+)' is not defined$/, key: "cellError.noName" },
} as const;

const isNamed = (error: string): error is keyof typeof NAMED => Object.hasOwn(NAMED, error);

/**
 * @param error the name of the Python error class
 * @param detail the message of the Python error, if it is known
 */
export function cellErrorText(error: string, detail: string | null = null): string {
  const named = isNamed(error) ? NAMED[error] : null;
  const name = named?.message.exec(detail ?? "")?.[1];
  if (named && name !== undefined) return t(named.key, { name });
  return t.ofFamily("cellError.*", error) ?? t("cellError.unknown", { error });
}

interface ColumnDetails {
  readonly formula: string;
  /** By row id. */
  readonly details: ReadonlyMap<number, { readonly error: string; readonly detail: string | null }>;
  /** Whether these are all errors of the column. */
  readonly isComplete: boolean;
}

/** Collects requests for the details of several cells of a column. */
const COLLECT_MS = 200;

/**
 * The messages of failed cells, which records do not contain. They are read for columns with failed cells in view
 * whose words depend on them; until then, and where access rules hide them, cells show what the class of the error says.
 */
export class ErrorDetails {
  readonly #place: TablePlace;
  readonly #loaded: () => void;
  readonly #columns = new Map<string, ColumnDetails>();
  readonly #loading = new Set<string>();

  /** @param loaded called when details have arrived */
  constructor(place: TablePlace, loaded: () => void) {
    this.#place = place;
    this.#loaded = loaded;
  }

  /** Returns the error of a cell in words. */
  textOf(column: { id: string; formula: string }, rowId: number, error: string): string {
    if (!isNamed(error)) return cellErrorText(error);
    const known = this.#columns.get(column.id);
    const found = known?.formula === column.formula ? known.details.get(rowId) : undefined;
    if (found?.error === error) return cellErrorText(error, found.detail);
    if (known?.formula !== column.formula || known.isComplete) void this.#load(column);
    return cellErrorText(error);
  }

  async #load({ id, formula }: { id: string; formula: string }): Promise<void> {
    if (this.#loading.has(id)) return;
    this.#loading.add(id);
    await new Promise((resolve) => setTimeout(resolve, COLLECT_MS));
    const errors = await fetchCellErrors(this.#place, id).catch(() => []);
    const details = new Map(errors.map(({ row, error, detail }) => [row, { error, detail }]));
    const before = this.#columns.get(id);
    // Cells whose details stay unknown are not asked for again.
    const isNews = before?.formula !== formula || errors.some(({ row }) => !before.details.has(row));
    this.#columns.set(id, { formula, details, isComplete: isNews && errors.length < MAX_ERRORS });
    this.#loading.delete(id);
    if (isNews && errors.length > 0) this.#loaded();
  }
}
