/** A section whose rows are those of a sheet. */
import { contentOfSection } from "../../../base/views/field-settings.ts";
import type { SectionData } from "../../../base/views/section-data.ts";
import type { SectionLink } from "../../../base/views/section-link.ts";
import type { RecordJson } from "../../../base/table-data.ts";
import { indexOfRow } from "../../table/client/rows/index-of-row.ts";
import type { GridSheet, Sheet } from "../../table/client/sheet.ts";
import type { SectionController, SectionTable } from "./section-controller.ts";
import type { SavedViewStore } from "./saving/saved-view-store.ts";

export class SheetSection implements SectionController {
  readonly sheet: Sheet;
  readonly #store: SavedViewStore;

  readonly #updated: (section: SectionData) => void;

  /** @param updated called when the metadata of the section has changed */
  constructor(sheet: Sheet, store: SavedViewStore, updated: (section: SectionData) => void = () => {}) {
    this.sheet = sheet;
    this.#store = store;
    this.#updated = updated;
  }

  nameOf(row: RecordJson): string {
    return this.sheet.shown[0]?.text(row) ?? "";
  }

  get activeRow(): RecordJson | null | undefined {
    const { rowPages, grid, link } = this.sheet;
    if (link.missing !== null) return null;
    if (!rowPages.isLoaded || rowPages.isLoading) return this.sheet.activeRow;
    const { row } = grid.selection.active;
    // The header belongs to no row: the first one stays selected.
    return rowPages.rowAt(Math.max(0, row)) ?? (row < rowPages.count ? undefined : null);
  }

  onChange(listener: () => void): void {
    this.sheet.onChange(listener);
    const { onActivate } = this.sheet;
    this.sheet.onActivate = (place) => {
      onActivate(place);
      listener();
    };
  }

  setLink(link: SectionLink): void {
    const { sheet } = this;
    const isMoved = link.row !== null && link.row !== sheet.link.row;
    sheet.setLink(link);
    if (isMoved) void this.#activateRow(link.row);
  }

  async #activateRow(id: number): Promise<void> {
    const { sheet } = this;
    if (sheet.activeRow?.id === id) return;
    const row = await indexOfRow(sheet, id);
    // Another row may have been selected meanwhile.
    if (row < 0 || sheet.link.row !== id) return;
    sheet.grid.activate({ row, column: sheet.grid.selection.active.column }, { focus: false });
  }

  update(section: SectionData, table: SectionTable): void {
    this.#store.setSection(section, table.columns);
    this.sheet.setContent(contentOfSection(table, section));
    this.#updated(section);
  }

  refresh(): void {
    this.sheet.refresh();
  }

  refreshFromRemote(): Promise<void> {
    return this.sheet.refreshFromRemote();
  }

  retryFailedLoad(): void {
    this.sheet.retryFailedLoad();
  }

  activated(): void {
    this.sheet.activated();
  }

  coverRight(width: number): void {
    if ("setCoveredWidth" in this.sheet.grid) (this.sheet as GridSheet).grid.setCoveredWidth(width);
  }

  focus(): void {
    this.sheet.grid.focus();
  }

  showError(error: unknown, retry?: () => void): void {
    this.sheet.showError(error, retry);
  }

  storedId(id: number): number | undefined {
    const stored = this.sheet.rowPages.idOf(id);
    return stored === id ? undefined : stored;
  }
}
