/** What can be added to a form: the columns of its table, new questions, texts and groups. */
import { dataElement, h, icon, replaceChildren } from "../../../base/client/dom.ts";
import { HELP_LINKS } from "../../../base/help/help-links.ts";
import { t } from "../../../base/client/texts.ts";
import { randomUuid } from "../../../base/client/random-uuid.ts";
import {
  columnsBox,
  fieldsIn,
  findBox,
  type FormBox,
  leafOf,
  LINE_TEXT,
  paragraphBox,
  sectionBox,
} from "../../../base/views/form-layout.ts";
import type { FormColumn } from "../form-data.ts";
import type { BoxCommands } from "./box-commands.ts";
import type { Builder } from "./builder.ts";

export interface PartsListOptions {
  readonly builder: Builder;
  readonly commands: BoxCommands;
  readonly openSettings: () => void;
  /** Called before a surface opens that the list would cover. */
  readonly leave?: () => void;
}

/** Draws the list into an element. */
export function drawParts(element: HTMLElement, options: PartsListOptions): void {
  const { builder, commands, openSettings, leave } = options;
  const { form, root, data } = builder;
  const shown = fieldsIn(root);
  const asked = new Set(form.fields.filter(({ ref }) => shown.has(ref)).map(({ colRef }) => colRef));
  const focused = element.contains(document.activeElement)
    ? (document.activeElement as HTMLElement).dataset["part"]
    : undefined;
  const command = (name: string, label: string, icon_: Parameters<typeof icon>[0], run: () => void) =>
    h("button", { type: "button", class: "part", "data-part": name, onclick: run }, icon(icon_), label);
  const add = (box: () => FormBox) => () => {
    leave?.();
    void commands.addBox(box());
  };
  const newQuestion = async () => {
    leave?.();
    (await import("./new-question.ts")).openNewQuestion(builder, commands);
  };
  replaceChildren(
    element,
    h("h2", {}, t("formBuilder.add")),
    h(
      "fieldset",
      { class: "part-columns" },
      h("legend", {}, t("formBuilder.columns")),
      ...form.columns
        .filter(({ isComputed }) => !isComputed)
        .map((column) => columnPart(column, asked.has(column.ref), options)),
    ),
    h(
      "div",
      { class: "part-buttons" },
      data.canChangeColumns && command("question", t("formBuilder.newQuestion"), "plus", () => void newQuestion()),
      command(
        "text",
        t("formBuilder.kind.text"),
        "type",
        add(() => paragraphBox("", randomUuid)),
      ),
      command(
        "section",
        t("formBuilder.kind.section"),
        "square",
        add(() => sectionBox(randomUuid)),
      ),
      command(
        "columns",
        t("formBuilder.kind.columns"),
        "columns-3",
        add(() => columnsBox(randomUuid)),
      ),
      command(
        "line",
        t("formBuilder.kind.line"),
        "minus",
        add(() => paragraphBox(LINE_TEXT, randomUuid)),
      ),
    ),
    h("h2", {}, t("formBuilder.settings")),
    h(
      "div",
      { class: "part-buttons" },
      command("settings", t("formBuilder.settings.open"), "settings", () => {
        leave?.();
        openSettings();
      }),
    ),
    h("a", { class: "help-link", href: HELP_LINKS.forms }, icon("circle-question-mark"), t("base.menu.help")),
  );
  if (focused !== undefined) element.querySelector<HTMLElement>(`[data-part="${CSS.escape(focused)}"]`)?.focus();
}

/** A check box that asks for a column, or removes its question. */
function columnPart(column: FormColumn, isAsked: boolean, { builder, commands }: PartsListOptions): HTMLElement {
  const input = h("input", { type: "checkbox", "data-part": `column ${column.ref}` });
  input.checked = isAsked;
  const remove = async () => {
    const fields = new Set(builder.form.fields.filter(({ colRef }) => colRef === column.ref).map(({ ref }) => ref));
    const path = findBox(builder.root, (box) => fields.has(leafOf(box) ?? -1));
    if (path) await commands.remove(builder.keyOf(path), { keepsFocus: true });
  };
  input.addEventListener("change", () => void (input.checked ? commands.addColumn(column) : remove()));
  return h("label", {}, input, dataElement(column.label));
}
