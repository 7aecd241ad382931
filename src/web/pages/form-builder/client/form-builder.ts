/** The builder of a form. */
import { find, h } from "../../../base/client/dom.ts";
import { type DocumentChange, type DocumentEventHandlers, subscribeToEvents } from "../../../base/client/events.ts";
import { initDocumentSidebar } from "../../../base/client/pages/document-sidebar.ts";
import { matchesKey } from "../../../base/client/keys/key-table.ts";
import { setPageCommands } from "../../../base/client/page-commands.ts";
import { openPopover } from "../../../base/client/popover.ts";
import { t } from "../../../base/client/texts.ts";
import { watchUnsaved } from "../../../base/client/unsaved.ts";
import type { FormBuilderData } from "../form-data.ts";
import { followAnswers } from "./answer-count.ts";
import { BoxCommands } from "./box-commands.ts";
import { Builder } from "./builder.ts";
import { Canvas } from "./canvas.ts";
import { Panels } from "./panels.ts";
import { drawParts, type PartsListOptions } from "./parts-list.ts";
import { showPublication } from "./publication.ts";

initDocumentSidebar();
const data = JSON.parse(find("#builder-data").textContent ?? "") as FormBuilderData;
const builder = new Builder(data, find("#form-problem"));
const panels = new Panels(builder);
const commands = new BoxCommands({
  builder,
  openPanel: (key) => panels.openBox(key),
  focus: (key) => canvas.focus(key),
});
const canvas = new Canvas(builder, find("#form-canvas"), commands);
const parts: PartsListOptions = { builder, commands, openSettings: () => panels.openSettings() };

const list = find("#form-parts");
const drawList = () => drawParts(list, parts);
builder.onChange(drawList);
drawList();

const name = find("#form-name");
builder.onChange(() => (find("bdi", name).textContent = builder.name));
showPublication(builder);

/** Narrow windows have no place for the list beside the form. */
const addButton = find<HTMLButtonElement>("#open-parts");
addButton.addEventListener("click", () => {
  const content = h("div", { class: "form-parts" });
  const draw = () => drawParts(content, { ...parts, leave: () => popover.close() });
  const stop = builder.onChange(draw);
  const popover = openPopover(addButton, {
    attributes: { class: "popover parts-popover", role: "dialog", "aria-label": t("formBuilder.add") },
    content: [content],
    onClose: stop,
  });
  draw();
  popover.element.querySelector<HTMLElement>("input, button.part")?.focus();
});

setPageCommands([
  { label: t("table.undo"), run: () => void builder.revert("undo") },
  { label: t("table.redo"), run: () => void builder.revert("redo") },
]);

document.addEventListener("keydown", (event) => {
  const isTyping =
    event.target instanceof Element && event.target.closest("textarea, input:not([type=checkbox]), dialog");
  if (event.defaultPrevented || isTyping) return;
  const way = matchesKey("Ctrl+Z", event)
    ? "undo"
    : ["Ctrl+Y", "Ctrl+Shift+Z"].some((keys) => matchesKey(keys, event))
      ? "redo"
      : null;
  if (!way) return;
  event.preventDefault();
  void builder.revert(way);
});

watchUnsaved(() => builder.hasUnsaved || builder.changes.isBusy);

const answers = followAnswers(builder);

const follow = () => {
  // Own edits read the form themselves.
  if (!builder.changes.isBusy) builder.reload().catch((error: unknown) => builder.showError(error));
};
const isAboutForms = ({ schema, tables }: DocumentChange): boolean =>
  schema || tables.some(({ table }) => table.startsWith("_grist_"));
const handlers: DocumentEventHandlers = {
  change(change) {
    if (isAboutForms(change)) follow();
    if (change.tables.some(({ table }) => table === builder.form.table)) answers.refresh();
  },
  reset() {
    follow();
    answers.refresh();
  },
};
subscribeToEvents(data.docId, handlers, data.eventId);
