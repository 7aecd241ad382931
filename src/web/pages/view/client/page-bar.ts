/** The bar of a page with several sections: undo, redo, and the commands of the page. */
import { h, icon, find, replaceChildren } from "../../../base/client/dom.ts";
import { returnFocus } from "../../../base/client/focus.ts";
import { setPageCommands } from "../../../base/client/page-commands.ts";
import { t } from "../../../base/client/texts.ts";
import { initToolbar } from "../../../base/client/toolbar.ts";
import type { IconName } from "../../../base/icons.ts";
import { showToast } from "../../../base/client/toast.ts";
import type { PageView } from "./page-view.ts";

export function attachPageBar(page: PageView, editLayout: () => void): void {
  const { changes, data } = page;
  const canEdit = data.role !== "viewers";
  const revert = async (way: "undo" | "redo"): Promise<void> => {
    try {
      const isDone = await changes[way]();
      if (!isDone) showToast(way === "undo" ? t("table.undo.nothing") : t("table.redo.nothing"));
      await page.reload();
    } catch (error) {
      page.showError(error);
    }
  };
  const undo = iconButton("undo-2", t("table.undo"), () => void revert("undo"));
  const redo = iconButton("redo-2", t("table.redo"), () => void revert("redo"));
  const layout = h(
    "button",
    { type: "button", class: "small plain edit-layout", "aria-label": t("view.layout.edit"), onclick: editLayout },
    icon("layout-grid"),
    h("span", { class: "text" }, t("view.layout.edit")),
  );
  const add = h(
    "button",
    { type: "button", class: "small plain", onclick: () => void addSection(page) },
    icon("plus"),
    h("span", { class: "text" }, t("pageList.section.add")),
  );
  const tools = find("#view-tools");
  replaceChildren(
    tools,
    h("span", { class: "grow" }),
    canEdit && undo,
    canEdit && redo,
    data.canChangePage && data.sections.length > 1 && layout,
    data.canChangePage && add,
  );
  initToolbar(find("#toolbar"), t("view.toolbar"));
  const show = (): void => {
    setEnabled(undo, changes.canUndo);
    setEnabled(redo, changes.canRedo);
    setPageCommands(
      canEdit
        ? [
            { label: t("table.undo"), run: () => void revert("undo"), isDisabled: !changes.canUndo },
            { label: t("table.redo"), run: () => void revert("redo"), isDisabled: !changes.canRedo },
          ]
        : [],
    );
  };
  changes.onPending(show);
  page.onChange(show);
  show();
}

/** Loads the dialog on first use. */
async function addSection(page: PageView): Promise<void> {
  try {
    const { addPageSection } = await import("./new-sections.ts");
    await addPageSection(page);
  } catch (error) {
    page.showError(error);
  }
}

/** A disabled button loses the focus: it goes to the active cell. */
function setEnabled(control: HTMLButtonElement, isEnabled: boolean): void {
  const hadFocus = document.activeElement === control;
  control.disabled = !isEnabled;
  if (hadFocus && !isEnabled) returnFocus(null);
}

const iconButton = (name: IconName, label: string, run: () => void): HTMLButtonElement =>
  h("button", { type: "button", class: "bare", "aria-label": label, title: label, onclick: run }, icon(name));
