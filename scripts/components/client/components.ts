/** Opens the components of the page, and shows the states that need a pointer or the focus. */
import { ApiError } from "../../../src/web/base/client/api.ts";
import { confirmDialog, formDialog, openDialog } from "../../../src/web/base/client/dialog.ts";
import { inputField, showFieldError } from "../../../src/web/base/client/form-field.ts";
import { find, h } from "../../../src/web/base/client/dom.ts";
import { attachMenu } from "../../../src/web/base/client/menu.ts";
import { openSidePanel } from "../../../src/web/base/client/panel.ts";
import { openPopover } from "../../../src/web/base/client/popover.ts";
import { clearError, showError } from "../../../src/web/base/client/problem.ts";
import { showToast } from "../../../src/web/base/client/toast.ts";
import { initToolbar } from "../../../src/web/base/client/toolbar.ts";

const opener = (name: string): HTMLButtonElement => find<HTMLButtonElement>(`[data-open="${name}"]`);
const sampleForm = () => [inputField("Name", { name: "name", required: true, value: "Orders" })];

const OPEN: Readonly<Record<string, () => unknown>> = {
  popover: () => {
    const field = h("input", { type: "checkbox" });
    openPopover(opener("popover"), {
      attributes: { class: "popover", role: "dialog", "aria-label": "Columns" },
      content: [h("label", {}, field, "Show the column Total")],
    });
    field.focus();
  },
  panel: () => openSidePanel("Column Total", [h("form", {}, ...sampleForm())]),
  dialog: () => {
    const actions = h("button", { type: "button", class: "plain" }, "Actions");
    attachMenu(actions, () => [{ label: "Print", run: () => {} }]);
    openDialog({ title: "Shortcuts", content: [h("p", {}, "Ctrl+F: Find"), actions] });
  },
  form: () =>
    formDialog({
      title: "Rename document",
      content: sampleForm(),
      action: "Rename",
      submit: () => Promise.reject(new ApiError("refused", "Another document has this name.", { status: 409 })),
    }),
  confirmation: () =>
    confirmDialog({
      title: "Delete Bicycle shop orders permanently?",
      text: "5 tables with 2,136 rows and 12 files. This cannot be undone.",
      action: "Delete Bicycle shop orders",
      isDangerous: true,
      submit: () => Promise.resolve(),
    }),
  toast: () => showToast("Name changed."),
  "toast with Undo": () => showToast("12 rows deleted.", { action: { label: "Undo", run: () => {} } }),
  "toast about a problem": () => showToast("The server does not respond.", { problem: true }),
  problem: () => {
    const container = find("#problem-place");
    clearError(container);
    showError(container, new ApiError("away", "The server does not respond.", {}), { retry: () => {}, canClose: true });
  },
};

for (const [name, open] of Object.entries(OPEN)) opener(name).addEventListener("click", () => void open());
attachMenu(opener("menu"), () => [
  { label: "Rename", icon: "pencil", run: () => {} },
  { label: "Insert row above", unavailable: "Clear the sort to insert rows at a position", run: () => {} },
  { label: "Help", icon: "circle-question-mark", href: "#surfaces" },
  { label: "Delete table", icon: "trash-2", isDangerous: true, run: () => {} },
]);
initToolbar(find("#toolbar-sample"), "Table");

// The error is shown as forms show it; the page starts without focus.
const invalid = find<HTMLFormElement>("#fields-form");
showFieldError(invalid, "error", "The name must not be empty.");
find<HTMLInputElement>("[name=error]").blur();

/** Repeats the rules of `:hover` and `:focus-visible` for elements with `data-shown`. */
function showStates(): void {
  const rules = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules].map(({ cssText }) => cssText));
  const shown = rules
    .filter((text) => /:(?:hover|focus-visible)\b/.test(text.replaceAll("(hover: hover)", "")))
    .map((text) =>
      text.replaceAll(/:hover\b/g, `[data-shown="hover"]`).replaceAll(":focus-visible", `[data-shown="focus"]`),
    );
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(shown.join("\n"));
  document.adoptedStyleSheets.push(sheet);
}
showStates();
