/** The attachments of a cell as tiles; each opens a large preview. */
import type { RecordJson } from "../../../../base/table-data.ts";
import { h, icon } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { openFilesDialog } from "../cells/files-dialog.ts";
import { cellValue, type Column, listItems } from "../columns/columns.ts";
import type { Sheet } from "../sheet.ts";
import type { UndoManager } from "../undo-manager.ts";
import { openFilePreview } from "./file-preview.ts";

const LEAST_PREVIEW_PX = 72;
const MAX_PREVIEW_PX = 480;

export interface GalleryContext {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
  readonly canEdit: boolean;
  readonly isOnCard?: boolean;
}

export function fileGallery(
  column: Column,
  row: RecordJson,
  { sheet, changes, canEdit, isOnCard = false }: GalleryContext,
): HTMLElement {
  const ids = listItems(cellValue(row, column.id)).map(Number);
  const cell = { rowId: sheet.rowPages.idOf(row.id), colId: column.id };
  const height = Number(column.options["height"]);
  const tiles = ids.map((id, at) => {
    const tile = h("button", { type: "button", class: "file-tile" }, sheet.thumbnails.createElement(id, cell));
    // The document's size of previews; smaller ones are for grids.
    if (isOnCard && height > LEAST_PREVIEW_PX)
      tile.style.setProperty("--preview", `${Math.min(height, MAX_PREVIEW_PX)}px`);
    const setName = (name = t("table.files.noName", { id: String(id) })) =>
      tile.setAttribute("aria-label", t("table.files.preview", { name }));
    setName();
    void sheet.thumbnails.file(id).then((file) => setName(file?.name));
    tile.addEventListener("click", () => openFilePreview({ ids, at, cell, thumbnails: sheet.thumbnails }));
    return h("li", {}, tile);
  });
  const label = t("table.files.change");
  const change = isOnCard
    ? h("button", { type: "button", class: "bare", "aria-label": label, title: label }, icon("paperclip"))
    : h("button", { type: "button", class: "plain small" }, label);
  change.addEventListener("click", () => openFilesDialog(column, row, { sheet, changes }));
  return h(
    "div",
    { class: "gallery" },
    tiles.length > 0 && h("ul", { class: "file-tiles" }, ...tiles),
    canEdit && change,
  );
}
