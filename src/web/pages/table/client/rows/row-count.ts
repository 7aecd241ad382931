import { announce } from "../../../../base/client/announce.ts";
import { find, h, replaceChildren } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { type EmptyTable, showEmptyState } from "../empty-state.ts";
import type { SheetParts } from "../sheet-parts.ts";
import type { RowPageCache } from "./row-page-cache.ts";
import { TotalCount } from "./total-count.ts";

interface CountedTable extends EmptyTable {
  readonly parts: SheetParts;
  readonly grid: { readonly element: HTMLElement };
  readonly rowPages: RowPageCache;
}

/** The number of rows in the status line, and what replaces the rows when there are none. */
export class RowCount {
  readonly #sheet: CountedTable;
  readonly #total: TotalCount;
  readonly #empty = h("div", { class: "grid-empty", hidden: true });

  /** @param readTotal reads the number of all rows, without the filter */
  constructor(sheet: CountedTable, readTotal: () => Promise<number>) {
    this.#sheet = sheet;
    this.#total = new TotalCount(readTotal, () => this.render());
    sheet.parts.gridHost.append(this.#empty);
  }

  /** Rows may have changed. */
  invalidate(): void {
    this.#total.invalidate();
  }

  /** Shows that there will be rows, while their number is unknown. */
  showLoading(isLoading: boolean): void {
    const { rowPages } = this.#sheet;
    const isUnknown = isLoading && !rowPages.isLoaded && rowPages.count === 0;
    const { element } = this.#sheet.grid;
    element.classList.toggle("loading", isUnknown);
    find(":scope > [role]", element).setAttribute("aria-busy", String(isUnknown));
    if (isUnknown) this.#empty.hidden = true;
  }

  render(): void {
    const { totalCount: count, isLoaded } = this.#sheet.rowPages;
    this.showLoading(this.#sheet.rowPages.isLoading);
    const { isFiltered } = this.#sheet.view;
    if (isFiltered) void this.#total.update();
    const total = isFiltered ? this.#total.count : null;
    // Both numbers are read one after the other: rows may be added between them.
    const text = total === null || total < count ? t("table.count", { count }) : t("table.countOf", { count, total });
    replaceChildren(this.#sheet.parts.count, isLoaded && text);
    const wasHidden = this.#empty.hidden;
    this.#empty.hidden = !isLoaded || count > 0;
    if (this.#empty.hidden) return;
    showEmptyState(this.#sheet, this.#empty);
    // Rows that others delete are silent.
    if (wasHidden && isFiltered) announce(t("table.empty.filtered"));
  }
}
