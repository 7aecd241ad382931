/** The panel in which the fields of cards are arranged, hidden and shown, and their theme is chosen. */
import { type Child, h, icon, nameElement, replaceChildren } from "../../../../base/client/dom.ts";
import { selectField } from "../../../../base/client/form-field.ts";
import { attachMenu, type MenuItem } from "../../../../base/client/menu.ts";
import { closePanel, openSidePanel } from "../../../../base/client/panel.ts";
import { clearError, showError } from "../../../../base/client/problem.ts";
import { t } from "../../../../base/client/texts.ts";
import { showToast } from "../../../../base/client/toast.ts";
import { leavesOf } from "../../../../base/views/box-layout.ts";
import {
  type CardAction,
  CARD_THEMES,
  cardTheme,
  hideFieldActions,
  layoutActions,
  showFieldActions,
  themeActions,
} from "../../../../base/views/card-edits.ts";
import { editLayout, isBeside, type LayoutEdit, parseCardLayout } from "../../../../base/views/card-layout.ts";
import type { SectionData, SectionField } from "../../../../base/views/section-data.ts";
import type { LabelKey } from "../../../../texts/texts.ts";
import type { Column } from "../../../table/client/columns/columns.ts";
import type { Sheet } from "../../../table/client/sheet.ts";
import type { UndoManager } from "../../../table/client/undo-manager.ts";
import { showUndoToast } from "../../../table/client/undo-toast.ts";

export interface LayoutPanelOptions {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
  /** As it is stored now. */
  readonly section: () => SectionData;
}

const EDITS: readonly (readonly [edit: LayoutEdit, label: LabelKey, keys?: string])[] = [
  ["moveUp", "cards.layout.moveUp", "Alt+Shift+ArrowUp"],
  ["moveDown", "cards.layout.moveDown", "Alt+Shift+ArrowDown"],
  ["beside", "cards.layout.beside", "Alt+Shift+ArrowRight"],
  ["below", "cards.layout.below", "Alt+Shift+ArrowLeft"],
  ["wider", "cards.layout.wider"],
  ["narrower", "cards.layout.narrower"],
];

const EDIT_BY_KEY: Readonly<Record<string, LayoutEdit>> = {
  ArrowUp: "moveUp",
  ArrowDown: "moveDown",
  ArrowRight: "beside",
  ArrowLeft: "below",
};

const THEMES: Readonly<Record<(typeof CARD_THEMES)[number], LabelKey>> = {
  form: "cards.layout.theme.form",
  compact: "cards.layout.theme.compact",
  blocks: "cards.layout.theme.blocks",
};

export async function openLayoutPanel(options: LayoutPanelOptions): Promise<void> {
  if (await closePanel()) new LayoutPanel(options).open();
}

class LayoutPanel {
  readonly #options: LayoutPanelOptions;
  readonly #fields = h("ul", { class: "layout-fields", "aria-label": t("cards.layout.fields") });
  readonly #hidden = h("section", {});
  readonly #theme = h("div", {});
  readonly #problem = h("div", { class: "problem-place" });
  #shown: SectionData | undefined;
  #columns: readonly Column[] = [];

  constructor(options: LayoutPanelOptions) {
    this.#options = options;
  }

  open(): void {
    const stop = this.#options.sheet.onChange(() => this.#show());
    const content = [
      h("p", { class: "quiet" }, t("cards.layout.hint")),
      this.#problem,
      this.#theme,
      h("h3", {}, t("cards.layout.fields")),
      this.#fields,
      this.#hidden,
    ];
    openSidePanel(t("cards.layout"), content, { onClose: stop });
    this.#fields.addEventListener("keydown", (event) => {
      const edit = event.altKey && event.shiftKey ? EDIT_BY_KEY[event.key] : undefined;
      const item = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-field]") : null;
      const field = this.#options.section().fields.find(({ ref }) => String(ref) === item?.dataset["field"]);
      const column = field && this.#columnOf(field);
      if (!edit || !field || !column) return;
      event.preventDefault();
      this.#arrange(field, column, edit);
    });
    this.#show();
  }

  #columnOf({ colRef }: SectionField): Column | undefined {
    return this.#options.sheet.columns.find(({ ref }) => ref === colRef);
  }

  #show(): void {
    const section = this.#options.section();
    const { columns } = this.#options.sheet;
    if (section === this.#shown && columns.every((column, at) => column === this.#columns[at])) return;
    this.#shown = section;
    this.#columns = columns;
    this.#keepingFocus(() => {
      this.#showTheme(section);
      this.#showFields(section);
      this.#showHidden(section);
    });
  }

  /** Controls are made again after each change. */
  #keepingFocus(draw: () => void): void {
    const { activeElement } = document;
    const kept = activeElement instanceof HTMLElement ? activeElement.dataset["keep"] : undefined;
    draw();
    if (kept === undefined || activeElement?.isConnected) return;
    const places = [this.#theme, this.#fields, this.#hidden];
    const again = places.map((place) => place.querySelector<HTMLElement>(`[data-keep="${kept}"]`)).find((each) => each);
    (again ?? this.#fields.querySelector<HTMLElement>("button"))?.focus();
  }

  #showTheme(section: SectionData): void {
    const options = CARD_THEMES.map((value) => ({ value, label: t(THEMES[value]) }));
    const field = selectField(t("cards.layout.theme"), { name: "theme", value: cardTheme(section.theme) }, options);
    const select = field.querySelector("select");
    select?.setAttribute("data-keep", "theme");
    select?.addEventListener("change", () => {
      const actions = themeActions(section, cardTheme(select.value));
      void this.#apply(actions, [t("cards.layout.themeChanged")]);
    });
    replaceChildren(this.#theme, field);
  }

  #showFields(section: SectionData): void {
    const { root } = parseCardLayout(section.layoutSpec, section.fields);
    const entries = leavesOf(root).flatMap((leaf) => {
      const field = section.fields.find(({ ref }) => ref === leaf);
      const column = field && this.#columnOf(field);
      return field && column ? [{ field, column, isBeside: isBeside(root, leaf) }] : [];
    });
    replaceChildren(
      this.#fields,
      ...entries.map(({ field, column, isBeside: isRight }) =>
        h(
          "li",
          { "data-field": field.ref, class: isRight ? "beside" : "starts-row" },
          h(
            "span",
            {},
            nameElement(column.name),
            isRight && h("span", { class: "unseen" }, t("cards.layout.isBeside")),
          ),
          this.#fieldMenu(section, field, column),
        ),
      ),
    );
  }

  #fieldMenu(section: SectionData, field: SectionField, column: Column): HTMLElement {
    const label = t("cards.layout.menu", { field: column.name });
    const button = h(
      "button",
      { type: "button", class: "bare", "aria-label": label, "data-keep": `field-${field.ref}` },
      icon("ellipsis"),
    );
    attachMenu(button, () => {
      const { root } = parseCardLayout(section.layoutSpec, section.fields);
      const edits = EDITS.filter(([edit]) => editLayout(root, field.ref, edit) !== null);
      return [
        ...edits.map(([edit, text, keys]): MenuItem => ({
          label: t(text),
          ...(keys !== undefined && { shortcut: keys }),
          run: () => this.#arrange(field, column, edit),
        })),
        {
          label: t("cards.layout.hide"),
          icon: "eye-off" as const,
          startsGroup: true,
          run: () =>
            void this.#apply(hideFieldActions(section, field.ref), aboutField("cards.layout.fieldHidden", column)),
        },
      ];
    });
    return button;
  }

  #arrange(field: SectionField, column: Column, edit: LayoutEdit): void {
    const actions = layoutActions(this.#options.section(), field.ref, edit);
    if (actions.length === 0) return void showToast(aboutField("cards.layout.nothing", column));
    void this.#apply(actions, [t("cards.layout.changed")]);
  }

  #showHidden(section: SectionData): void {
    const used = new Set(section.fields.map(({ colRef }) => colRef));
    const columns = this.#columns.filter(({ ref }) => !used.has(ref));
    const entry = (column: Column): HTMLElement => {
      const show = () =>
        void this.#apply(showFieldActions(section, column.ref), aboutField("cards.layout.fieldShown", column));
      const label = t("cards.layout.show", { field: column.name });
      return h(
        "li",
        {},
        h("span", {}, nameElement(column.name)),
        h("button", { type: "button", class: "bare", "aria-label": label, title: label, onclick: show }, icon("plus")),
      );
    };
    replaceChildren(
      this.#hidden,
      columns.length > 0 && h("h3", {}, t("cards.layout.hidden")),
      columns.length > 0 && h("ul", { class: "layout-fields" }, ...columns.map(entry)),
    );
  }

  async #apply(actions: readonly CardAction[], text: readonly Child[]): Promise<void> {
    const { sheet, changes } = this.#options;
    clearError(this.#problem);
    try {
      await changes.apply(actions, { asTyped: false });
      showUndoToast(text, { sheet, changes });
    } catch (error) {
      showError(this.#problem, error, { retry: () => void this.#apply(actions, text) });
    }
  }
}

const aboutField = (
  key: "cards.layout.fieldHidden" | "cards.layout.fieldShown" | "cards.layout.nothing",
  column: Column,
): readonly Child[] => t.rich(key, { field: nameElement(column.name) });
