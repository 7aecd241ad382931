/** The form as it will look, with each box movable. One box is a Tab stop; arrow keys lead to the others. */
import { h, icon, replaceChildren, type Child } from "../../../base/client/dom.ts";
import { openMenu } from "../../../base/client/menu.ts";
import { t } from "../../../base/client/texts.ts";
import { type BoxPath, childrenOf, type FormBox, isBox } from "../../../base/views/form-layout.ts";
import { MarkdownTexts } from "../../table/client/cells/markdown-texts.ts";
import { optionValue } from "../field-options.ts";
import { type BoxKind, boxLabel, boxName, fieldOf, kindOf, textOf } from "./box-names.ts";
import type { BoxCommands } from "./box-commands.ts";
import type { BoxKey, Builder } from "./builder.ts";
import { attachDragging } from "./dragging.ts";
import { questionPreview } from "./question-preview.ts";

/** Deeper boxes are kept, but not shown. */
const MAX_DEPTH = 20;

export class Canvas {
  readonly #builder: Builder;
  readonly #element: HTMLElement;
  readonly #commands: BoxCommands;
  readonly #markdown: MarkdownTexts;
  /** The box that is the Tab stop. */
  #stop: BoxKey | null = null;

  constructor(builder: Builder, element: HTMLElement, commands: BoxCommands) {
    this.#builder = builder;
    this.#element = element;
    this.#commands = commands;
    this.#markdown = new MarkdownTexts(builder.data.docId, () => this.render());
    builder.onChange(() => this.render());
    element.addEventListener("click", (event) => this.#click(event));
    element.addEventListener("keydown", (event) => this.#key(event));
    element.addEventListener("focusin", ({ target }) => {
      const box = boxOf(target);
      if (box) this.#setStop(box);
    });
    attachDragging(builder, element, commands);
    this.render();
  }

  /** Draws all boxes. A control that has the focus keeps it, wherever its box is now. */
  render(): void {
    const focused = this.#element.contains(document.activeElement) ? document.activeElement : null;
    const focusedBox = boxOf(focused)?.dataset["key"];
    const control = focused?.getAttribute("data-control");
    replaceChildren(this.#element, this.#drawList(this.#builder.root, []));
    const boxes = this.#boxes();
    const stop = boxes.find(({ dataset }) => dataset["key"] === (focusedBox ?? this.#stop)) ?? boxes[0];
    if (stop) this.#setStop(stop);
    if (focusedBox !== undefined && stop) controlOf(stop, control ?? "name")?.focus({ preventScroll: true });
  }

  /** Moves the focus to a box; to the first one when it is gone. */
  focus(key: BoxKey | null): void {
    const boxes = this.#boxes();
    const box = boxes.find(({ dataset }) => dataset["key"] === key) ?? boxes[0];
    const name = box && controlOf(box, "name");
    (name ?? this.#element).focus();
    box?.scrollIntoView({ block: "nearest" });
  }

  #boxes(): HTMLElement[] {
    return [...this.#element.querySelectorAll<HTMLElement>(".form-box")];
  }

  #drawList(parent: FormBox, path: BoxPath): HTMLElement {
    const boxes = childrenOf(parent).map((child, index) =>
      isBox(child) ? this.#drawBox(child, [...path, index]) : null,
    );
    return h("ol", { class: "form-boxes" }, ...boxes);
  }

  #drawBox(box: FormBox, path: BoxPath): HTMLElement {
    const { form } = this.#builder;
    const kind = kindOf(form, box);
    const key = this.#builder.keyOf(path);
    const name = boxName(form, box);
    const isSelected = this.#builder.selected?.join() === path.join();
    const tool = (control: string, content: Child, label: string) =>
      h(
        "button",
        {
          type: "button",
          class: "bare small",
          "data-control": control,
          "aria-haspopup": "menu",
          "aria-label": label,
          title: label,
        },
        content,
      );
    return h(
      "li",
      {
        class: `form-box ${kind}`,
        "data-key": key,
        "data-path": path.join(),
        draggable: kind === "submit" ? null : "true",
      },
      h(
        "div",
        { class: "form-box-bar" },
        h(
          "button",
          {
            type: "button",
            class: "form-box-name",
            "data-control": "name",
            "aria-current": isSelected ? "true" : null,
          },
          ...boxLabel(form, box),
          ...this.#marks(box),
        ),
        kind !== "submit" && tool("move", icon("arrow-up-down"), t("formBuilder.moveBox", { name })),
        tool("menu", icon("ellipsis"), t("formBuilder.boxMenu", { name })),
      ),
      ...this.#drawContent(box, kind, path),
    );
  }

  /** What a name is followed by. */
  #marks(box: FormBox): Child[] {
    const { form } = this.#builder;
    const field = fieldOf(form, box);
    if (kindOf(form, box) === "text" && textOf(box).trim() === "")
      return [h("span", { class: "quiet" }, t("formBuilder.emptyText"))];
    if (!field) return [];
    return [
      optionValue(form, field, "formRequired") === true && h("span", { class: "quiet" }, t("formBuilder.requiredMark")),
      optionValue(form, field, "formIsHidden") === true &&
        h("span", { class: "badge quiet" }, icon("eye-off"), t("formBuilder.hiddenMark")),
    ];
  }

  #drawContent(box: FormBox, kind: BoxKind, path: BoxPath): Child[] {
    const { form, data, root } = this.#builder;
    switch (kind) {
      case "question": {
        const field = fieldOf(form, box);
        const title = (id: string) => data.tables.find((table) => table.id === id)?.title ?? id;
        return field ? [preview(...questionPreview(form, field, title))] : [];
      }
      case "text":
        return textOf(box).trim() === "" ? [] : [this.#drawText(box)];
      case "line":
        return [preview(h("hr"))];
      case "section":
      case "columns":
        return path.length < MAX_DEPTH ? [this.#drawList(box, path)] : [];
      case "submit": {
        const { submitText } = root;
        const text = (typeof submitText === "string" && submitText.trim()) || t("form.submit");
        return [preview(h("span", { class: "button plain", translate: "no" }, text))];
      }
      case "gap":
        return [h("p", { class: "quiet" }, t("formBuilder.gapHint"))];
      case "lost":
        return [h("p", { class: "quiet" }, t("formBuilder.lostHint"))];
      case "unknown":
        return [h("p", { class: "quiet" }, t("formBuilder.unknownHint"))];
      default:
        return kind satisfies never;
    }
  }

  #drawText(box: FormBox): HTMLElement {
    const text = textOf(box);
    const { alignment } = box;
    const side = alignment === "center" || alignment === "right" ? alignment : "left";
    const element = preview();
    element.classList.add("form-text", side);
    element.translate = false;
    if (!this.#markdown.draw(element, text, { isInline: false })) element.textContent = text;
    return element;
  }

  #setStop(box: HTMLElement): void {
    this.#stop = box.dataset["key"] ?? null;
    for (const each of this.#element.querySelectorAll<HTMLElement>("[data-control]"))
      each.tabIndex = boxOf(each) === box ? 0 : -1;
  }

  #click({ target }: Event): void {
    const box = boxOf(target);
    if (!box) return;
    const control = (target as Element).closest("[data-control]")?.getAttribute("data-control");
    if (control === "move" || control === "menu") this.#openMenu(box, control);
    else this.#commands.open(box.dataset["key"] ?? "");
  }

  #openMenu(box: HTMLElement, control: "move" | "menu"): void {
    const button = controlOf(box, control) ?? controlOf(box, "menu");
    const key = box.dataset["key"] ?? "";
    if (button) openMenu(button, control === "move" ? this.#commands.moves(key) : this.#commands.items(key));
  }

  #key(event: KeyboardEvent): void {
    const box = boxOf(event.target);
    if (!box || event.defaultPrevented) return;
    const key = box.dataset["key"] ?? "";
    const boxes = this.#boxes();
    const at = boxes.indexOf(box);
    const focusBox = (to: HTMLElement | undefined) => to && controlOf(to, "name")?.focus();
    const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    const plain: Readonly<Record<string, () => void>> = {
      ArrowDown: () => focusBox(boxes[at + 1]),
      ArrowUp: () => focusBox(boxes[at - 1]),
      Home: () => focusBox(boxes[0]),
      End: () => focusBox(boxes.at(-1)),
      Delete: () => void this.#commands.remove(key),
      ContextMenu: () => this.#openMenu(box, "menu"),
    };
    const moves: Readonly<Record<string, () => void>> = {
      ArrowUp: () => this.#commands.move(key, "back"),
      ArrowDown: () => this.#commands.move(key, "on"),
      ArrowRight: () => this.#commands.move(key, "in"),
      ArrowLeft: () => this.#commands.move(key, "out"),
    };
    const isMove = event.altKey && event.shiftKey && !event.ctrlKey && !event.metaKey;
    const isMenu = event.shiftKey && event.key === "F10";
    const run = isMenu ? plain["ContextMenu"] : isMove ? moves[event.key] : isPlain ? plain[event.key] : undefined;
    if (!run) return;
    event.preventDefault();
    run();
  }
}

const preview = (...children: readonly Child[]): HTMLElement =>
  h("div", { class: "form-preview", inert: true }, ...children);

const boxOf = (target: unknown): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>(".form-box") : null;

const controlOf = (box: HTMLElement, control: string): HTMLElement | null =>
  box.querySelector<HTMLElement>(`:scope > .form-box-bar > [data-control="${control}"]`);
