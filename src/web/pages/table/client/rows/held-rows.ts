import { announce } from "../../../../base/client/announce.ts";
import { h, icon, replaceChildren } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { RecordJson } from "../../../../base/table-data.ts";
import type { RowsView } from "../../../../base/client/grid/rows-view.ts";
import type { Column } from "../columns/columns.ts";
import type { Grouping } from "../groups/grouping.ts";
import type { SheetParts } from "../sheet-parts.ts";
import type { ViewSettings } from "../view/view-settings.ts";
import { HeldRow, heldGroups } from "./held-row.ts";
import { readRecord } from "./read-record.ts";
import type { RowPageCache } from "./row-page-cache.ts";

/** The table whose rows are edited. */
interface EditedTable {
  readonly parts: SheetParts;
  readonly path: string;
  readonly grid: RowsView<RecordJson>;
  readonly rowPages: RowPageCache;
  readonly view: ViewSettings;
  readonly grouping: Grouping;
  readonly columns: readonly Column[];
  /** Reads all rows again. */
  refresh(): void;
}

/** Keeps the edited row in its place until another one becomes active, and says what becomes of it then. */
export class HeldRows {
  readonly #sheet: EditedTable;
  readonly #note = h("span", { class: "held-line", hidden: true });
  #held: HeldRow | null = null;
  /** The values that the row was placed by; null for a new row, which was not placed yet. */
  #placedBy: string | null = null;
  #isCheckPending = false;

  constructor(sheet: EditedTable) {
    this.#sheet = sheet;
    sheet.parts.cellStatus.before(this.#note);
  }

  /** Holds the active row, which is about to change. */
  hold(id: number): void {
    const { rowPages, grouping, grid } = this.#sheet;
    const row = rowPages.indexOf(id);
    const record = rowPages.rowAt(row);
    if (!this.#isNeeded || this.#held || !record || row !== grid.selection.active.row) return;
    const { geometry } = rowPages;
    const position = geometry ? geometry.offsetOf(row) : row;
    const groups = heldGroups(geometry, grouping.groups ?? [], row);
    this.#placedBy = this.#placeOf(record);
    this.#begin(new HeldRow(record, { position, groups }, geometry));
  }

  /** Holds a row that was just added, below all others. */
  holdNew(id: number): void {
    if (!this.#isNeeded) return;
    this.#placedBy = null;
    this.#begin(new HeldRow({ id, fields: {} }, { position: null, groups: [] }, null));
  }

  #begin(held: HeldRow): void {
    this.#held = held;
    this.#sheet.rowPages.hold(held);
  }

  /** Releases the row if another one is active by now. */
  check(): void {
    if (!this.#held || this.#isCheckPending) return;
    this.#isCheckPending = true;
    // The selection follows rows that move, once they have.
    queueMicrotask(() => {
      this.#isCheckPending = false;
      const { grid, rowPages } = this.#sheet;
      if (this.#held && rowPages.indexOf(this.#held.id) !== grid.selection.active.row) this.#release();
    });
  }

  #release(): void {
    this.forget();
    this.#sheet.rowPages.release();
    this.#sheet.refresh();
  }

  /** The view is another one, whose rows are read anyway. */
  forget(): void {
    this.#held = null;
    this.#show("", { isOwn: false });
  }

  /** Reads the held row again, after a change of this window or of others. */
  async refresh({ isOwn }: { isOwn: boolean }): Promise<void> {
    const held = this.#held;
    const { path, rowPages, view } = this.#sheet;
    // The id of a row that was just added is known by then.
    await Promise.resolve();
    const id = held ? rowPages.idOf(held.id) : 0;
    if (!held || id <= 0) return;
    const { version } = rowPages;
    const filter = view.query.filter;
    const own = { id: [id] };
    const [record, isMatch] = await Promise.all([
      readRecord(path, own),
      filter === undefined ||
        readRecord(path, { and: [JSON.parse(filter) as unknown, own] }).then((row) => row !== undefined),
    ]).catch((): [] => []);
    if (this.#held !== held || isMatch === undefined) return;
    if (!record) return this.#release();
    rowPages.updateHeld(record, version);
    const isMoved = this.#placedBy === null ? this.#isOrdered : this.#placedBy !== this.#placeOf(record);
    this.#show(isMatch ? (isMoved ? t("table.held.moves") : "") : t("table.held.filtered"), { isOwn });
  }

  #show(text: string, { isOwn }: { isOwn: boolean }): void {
    if (text === (this.#note.textContent ?? "")) return;
    this.#note.hidden = text === "";
    replaceChildren(this.#note, text !== "" && icon("info"), text);
    if (isOwn && text !== "") announce(text);
  }

  get #isOrdered(): boolean {
    return this.#sheet.view.sort.length > 0 || this.#sheet.grouping.geometry !== null;
  }

  get #isNeeded(): boolean {
    return this.#isOrdered || this.#sheet.view.isFiltered;
  }

  /** The values that sort and groups place a row by. */
  #placeOf({ fields }: RecordJson): string {
    const { view, grouping, columns } = this.#sheet;
    const ids = [...view.sort.map(({ columnId }) => columnId), ...grouping.keys.map(({ column }) => column.id)];
    const shown = columns.filter(({ id }) => ids.includes(id)).map(({ displayId }) => displayId ?? "");
    return JSON.stringify([...ids, ...shown].map((id) => fields[id]));
  }
}
