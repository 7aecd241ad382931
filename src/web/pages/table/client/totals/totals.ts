/** The totals below the columns: read apart from the rows, which never wait for them. */
import { apiWithRetry, isAborted } from "../../../../base/client/api.ts";
import { h, icon, replaceChildren } from "../../../../base/client/dom.ts";
import { attachMenu, type MenuItem } from "../../../../base/client/menu.ts";
import { t } from "../../../../base/client/texts.ts";
import type { CellValue } from "../../../../../values/cell.ts";
import { type DocumentSettings, PAGE_ROWS, type RecordJson } from "../../../../base/table-data.ts";
import type { Total } from "../../../../base/view-state.ts";
import { cellValue, isNumericColumn, type Column } from "../columns/columns.ts";
import type { ViewSettings } from "../view/view-settings.ts";
import { measureOf, offeredTotals, totalsOf, totalText } from "./column-totals.ts";
import { totalName } from "./total-names.ts";

/** The table whose totals these are. */
export interface TotalledTable {
  /** The path in the API. */
  readonly path: string;
  readonly view: ViewSettings;
  readonly shown: readonly Column[];
  readonly data: { readonly settings: DocumentSettings };
  readonly rowPages: { readonly count: number; rowAt(at: number): RecordJson | undefined };
  onDataChange(listener: () => void): void;
}

/** A total as it was read last. */
interface ReadTotal {
  /** Its function and filter: others have another key. */
  readonly key: string;
  readonly text: string;
  /** Why it could not be read. */
  readonly problem: string | null;
}

/** Changes come in bursts, such as those of a paste. */
const DELAY_MS = 150;

export class Totals {
  readonly #table: TotalledTable;
  readonly #buttons = new Map<string, HTMLButtonElement>();
  readonly #read = new Map<string, ReadTotal>();
  #request: { readonly key: string; readonly abort: AbortController } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStale = true;

  constructor(table: TotalledTable) {
    this.#table = table;
    table.onDataChange(() => {
      this.#isStale = true;
      this.#schedule(DELAY_MS);
    });
  }

  /** Returns the choices of a column, for menus. */
  items(column: Column): MenuItem[] {
    const { view } = this.#table;
    const chosen = this.totalOf(column);
    const choose = (total: Total | null) => () => {
      const { [column.id]: _before, ...others } = view.state.totals;
      view.update({ totals: total === null ? others : { ...others, [column.id]: total } }, { replaces: true });
    };
    return [
      { label: t("table.totals.none"), isChosen: chosen === undefined, run: choose(null) },
      ...this.#offered(column).map((total) => ({
        label: totalName(total),
        isChosen: total === chosen,
        run: choose(total),
      })),
    ];
  }

  #offered(column: Column): readonly Total[] {
    const chosen = this.totalOf(column);
    const offered = offeredTotals(column, this.#loadedCells(column));
    return totalsOf(column).filter((total) => total === chosen || offered.includes(total));
  }

  /** The cells of a column in the first rows that are loaded. */
  *#loadedCells({ id }: Column): Generator<CellValue> {
    const { count } = this.#table.rowPages;
    for (let at = 0; at < Math.min(count, PAGE_ROWS); at++) {
      const row = this.#table.rowPages.rowAt(at);
      if (row) yield cellValue(row, id);
    }
  }

  /** True if a shown column has a total. */
  get isShown(): boolean {
    return this.#table.shown.some((column) => this.totalOf(column) !== undefined);
  }

  /** Renders the footer's cell of a column, with the button that it had before. */
  drawCell(cell: HTMLElement, column: Column): void {
    let button = this.#buttons.get(column.id);
    if (!button) {
      button = h("button", { type: "button", class: "bare total", tabindex: -1 });
      // Columns change while the button stays.
      attachMenu(button, () => this.items(this.#table.shown.find(({ id }) => id === column.id) ?? column));
      this.#buttons.set(column.id, button);
    }
    if (cell.firstChild !== button) replaceChildren(cell, button);
    this.#drawButton(button, column);
    this.#schedule(0);
  }

  /** A total that does not fit the type, such as in an old address, is none. */
  totalOf(column: Column): Total | undefined {
    const total = this.#table.view.state.totals[column.id];
    return total !== undefined && totalsOf(column).includes(total) ? total : undefined;
  }

  #drawButton(button: HTMLButtonElement, column: Column): void {
    const total = this.totalOf(column);
    button.classList.toggle("number", isNumericColumn(column));
    button.classList.toggle("unset", total === undefined);
    const read = this.#read.get(column.id);
    const isKnown = total !== undefined && read?.key === this.#keyOf(total);
    const name = total === undefined ? t("table.totals.add") : totalName(total);
    button.setAttribute("aria-busy", String(total !== undefined && !isKnown));
    button.setAttribute("aria-label", labelOf(column, name, isKnown ? read : null));
    button.title = isKnown ? (read.problem ?? "") : "";
    replaceChildren(
      button,
      h("span", { class: "name" }, name),
      " ",
      isKnown && read.problem === null && h("span", { class: "value", translate: "no" }, read.text),
      isKnown && read.problem !== null && icon("triangle-alert"),
      total !== undefined && !isKnown && h("span", { class: "bar", "aria-hidden": "true" }),
      icon("chevron-down"),
    );
  }

  #keyOf(total: Total): string {
    return `${total} ${this.#filter}`;
  }

  get #filter(): string {
    return this.#table.view.query.filter ?? "{}";
  }

  #schedule(delayMs: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#update();
    }, delayMs);
  }

  /** Reads what is shown and not known, or may have changed. At most one request is in flight. */
  async #update(): Promise<void> {
    const wanted = this.#table.shown.flatMap((column) => {
      const total = this.totalOf(column);
      return total === undefined ? [] : [{ column, total, key: this.#keyOf(total) }];
    });
    const filter = this.#filter;
    if (this.#request) {
      // The answer to another filter would not be shown; otherwise the next request follows this one.
      if (this.#request.key !== filter) this.#request.abort.abort();
      return;
    }
    const missing = wanted.filter(({ column, key }) => this.#isStale || this.#read.get(column.id)?.key !== key);
    if (missing.length === 0) return;
    this.#isStale = false;
    const abort = new AbortController();
    this.#request = { key: filter, abort };
    await this.#readOrExplain(missing, abort.signal);
    this.#request = null;
    this.#schedule(DELAY_MS);
  }

  /** Where a request is refused, such as for too many different values, the other totals are still read. */
  async #readOrExplain(wanted: readonly WantedTotal[], signal: AbortSignal): Promise<void> {
    try {
      await this.#readTotals(wanted, signal);
    } catch (error) {
      if (isAborted(error)) return;
      if (wanted.length > 1) for (const each of wanted) await this.#readOrExplain([each], signal);
      else this.#showProblem(wanted, error);
    }
  }

  async #readTotals(wanted: readonly WantedTotal[], signal: AbortSignal): Promise<void> {
    const { path } = this.#table;
    const measures = Object.fromEntries(wanted.map(({ column, total }) => [column.id, measureOf(total, column.id)]));
    const filter: unknown = JSON.parse(this.#filter);
    const { groups } = await apiWithRetry<{ groups: readonly Readonly<Record<string, unknown>>[] }>(
      `${path}/aggregate`,
      { method: "POST", body: { measures, filter }, signal },
    );
    const { settings } = this.#table.data;
    for (const { column, total, key } of wanted) {
      const text = totalText(total, groups[0]?.[column.id] ?? null, {
        column,
        settings,
        formatCount: t.number,
      });
      this.#read.set(column.id, { key, text, problem: null });
    }
    this.#drawButtons();
  }

  #showProblem(wanted: readonly WantedTotal[], error: unknown): void {
    const problem = error instanceof Error ? error.message : String(error);
    for (const { column, key } of wanted) this.#read.set(column.id, { key, text: "", problem });
    this.#drawButtons();
  }

  #drawButtons(): void {
    for (const column of this.#table.shown) {
      const button = this.#buttons.get(column.id);
      if (button) this.#drawButton(button, column);
    }
  }
}

interface WantedTotal {
  readonly column: Column;
  readonly total: Total;
  readonly key: string;
}

function labelOf(column: Column, name: string, read: ReadTotal | null): string {
  if (read === null) return t("table.totals.label", { column: column.name, total: name });
  return t("table.totals.labelValue", { column: column.name, total: name, value: read.problem ?? read.text });
}
