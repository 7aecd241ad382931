import { h, icon, replaceChildren } from "../../../base/client/dom.ts";
import type { SectionLink } from "../../../base/views/section-link.ts";
import { t } from "../../../base/client/texts.ts";
import type { ViewSettings } from "./view/view-settings.ts";

/** The table that has no rows, or shows none. */
export interface EmptyTable {
  readonly view: ViewSettings;
  readonly canEdit: boolean;
  readonly isSummary: boolean;
  readonly link: SectionLink;
  /** Opens the import window for the table. */
  readonly onImport: () => void;
}

/** Shows the empty state and its action. */
export function showEmptyState(sheet: EmptyTable, host: HTMLElement): void {
  if (sheet.link.missing !== null) {
    replaceChildren(host, h("p", {}, sheet.link.missing));
  } else if (sheet.view.isFiltered) {
    const all = () => sheet.view.clearFilters();
    replaceChildren(
      host,
      h("p", {}, t("table.empty.filtered")),
      h("button", { type: "button", class: "plain", onclick: all }, t("table.empty.clearFilters")),
    );
  } else if (sheet.canEdit && !sheet.isSummary) {
    const importFile = () => sheet.onImport();
    replaceChildren(
      host,
      h("p", {}, t("table.empty.editor")),
      h("button", { type: "button", class: "plain", onclick: importFile }, icon("upload"), t("import.title")),
    );
  } else replaceChildren(host, h("p", {}, t("table.empty")));
}
