/** Rearranges the sections of a page: by dragging, by buttons, and by keys. Nothing is stored until it is saved. */
import { announce } from "../../../../base/client/announce.ts";
import { find, h, icon, nameElement } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { initToolbar } from "../../../../base/client/toolbar.ts";
import type { IconName } from "../../../../base/icons.ts";
import { type BoxLayout, formatBoxLayout, leavesOf, parseBoxLayout } from "../../../../base/views/box-layout.ts";
import type { LayoutBox } from "../../../../base/views/box-layout.ts";
import { type Direction, moveLeaf, resizeLeaf } from "../../../../base/views/layout-moves.ts";
import { saveLayout } from "../../../../base/views/save-layout.ts";
import { sectionTitle } from "../../../../base/views/section-title.ts";
import type { PageView } from "../page-view.ts";
import { change } from "../section-commands.ts";
import { attachDrag } from "./layout-drag.ts";

interface Command {
  readonly label: string;
  readonly icon: IconName;
  readonly run: (root: LayoutBox, leaf: number) => LayoutBox | null;
  readonly key?: string;
}

const move =
  (direction: Direction) =>
  (root: LayoutBox, leaf: number): LayoutBox | null =>
    moveLeaf(root, leaf, direction);

const commands = (): readonly Command[] => [
  { label: t("view.layout.left"), icon: "arrow-left", run: move("left"), key: "ArrowLeft" },
  { label: t("view.layout.right"), icon: "arrow-right", run: move("right"), key: "ArrowRight" },
  { label: t("view.layout.up"), icon: "arrow-up", run: move("up"), key: "ArrowUp" },
  { label: t("view.layout.down"), icon: "arrow-down", run: move("down"), key: "ArrowDown" },
  { label: t("view.layout.wider"), icon: "plus", run: (root, leaf) => resizeLeaf(root, leaf, "x", 1) },
  { label: t("view.layout.narrower"), icon: "minus", run: (root, leaf) => resizeLeaf(root, leaf, "x", -1) },
  { label: t("view.layout.taller"), icon: "unfold-vertical", run: (root, leaf) => resizeLeaf(root, leaf, "y", 1) },
  { label: t("view.layout.shorter"), icon: "fold-vertical", run: (root, leaf) => resizeLeaf(root, leaf, "y", -1) },
];

let isOpen = false;

export function openLayoutEditor(page: PageView): void {
  if (isOpen) return;
  isOpen = true;
  new LayoutEditor(page).open();
}

class LayoutEditor {
  readonly #page: PageView;
  readonly #before: BoxLayout;
  readonly #host = find("#view");
  #draft: BoxLayout;

  constructor(page: PageView) {
    this.#page = page;
    this.#before = page.data.layout;
    this.#draft = page.data.layout;
  }

  open(): void {
    this.#host.classList.add("editing-layout");
    setAddress(true);
    const bar = h(
      "div",
      { class: "layout-bar" },
      h("p", {}, t("view.layout.hint")),
      h("span", { class: "grow" }),
      h("button", { type: "button", class: "plain small", onclick: () => this.#close() }, t("base.cancel")),
      h("button", { type: "button", class: "small", onclick: () => void this.#save() }, t("view.layout.save")),
    );
    find("#toolbar").after(bar);
    this.#page.onChange(() => {
      if (!bar.isConnected) return;
      const refs = this.#page.data.sections.map(({ ref }) => ref);
      const now = parseBoxLayout(formatBoxLayout(this.#draft), refs);
      if (JSON.stringify(now) !== JSON.stringify(this.#draft)) this.#show(now);
    });
    attachDrag(this.#host, {
      root: () => this.#draft.root,
      drop: (root, leaf) => {
        this.#show({ ...this.#draft, root });
        this.#handleOf(leaf)?.focus();
      },
    });
    this.#show(this.#draft);
    this.#handleOf(leavesOf(this.#draft.root)[0] ?? 0)?.focus();
  }

  #handleOf(leaf: number): HTMLElement | null {
    return this.#host.querySelector(`#section-${leaf} > .leaf-editor .handle`);
  }

  #show(draft: BoxLayout): void {
    this.#draft = draft;
    this.#page.preview(draft);
    for (const ref of leavesOf(draft.root)) {
      const leaf = this.#page.leafOf(ref);
      leaf.querySelector(":scope > .leaf-editor")?.remove();
      // The tools cover what the section shows.
      for (const covered of leaf.children) covered.toggleAttribute("inert", true);
      leaf.append(this.#leafTools(ref));
    }
  }

  #leafTools(ref: number): HTMLElement {
    const { data } = this.#page;
    const section = data.sections.find((each) => each.ref === ref);
    const title = section ? sectionTitle(t, section, data.tables) : "";
    const all = commands();
    const buttons = all.map(({ label, icon: name, run }) =>
      h(
        "button",
        {
          type: "button",
          class: "bare",
          "aria-label": label,
          title: label,
          disabled: run(this.#draft.root, ref) === null,
          onclick: () => this.#run(run, ref, label),
        },
        icon(name),
      ),
    );
    const handle = h(
      "button",
      { type: "button", class: "bare handle", "aria-label": t("view.layout.handle", { section: title }) },
      icon("grip-vertical"),
      h("bdi", { translate: "no" }, title),
    );
    const tools = h("div", { class: "leaf-tools" }, handle, ...buttons);
    initToolbar(tools, t("view.layout.tools", { section: title }));
    tools.addEventListener("keydown", (event) => {
      const command = all.find(({ key }) => key === event.key);
      if (!command || !event.altKey || !event.shiftKey) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      this.#run(command.run, ref, null);
    });
    return h("div", { class: "leaf-editor" }, tools);
  }

  /** The focus stays on the same button, or on the handle. */
  #run(run: Command["run"], ref: number, label: string | null): void {
    const root = run(this.#draft.root, ref);
    if (!root) return;
    this.#show({ ...this.#draft, root });
    const leaf = this.#page.leafOf(ref);
    const same = [...leaf.querySelectorAll<HTMLButtonElement>(".leaf-tools button")].find(
      (each) => each.ariaLabel === label && !each.disabled,
    );
    (same ?? this.#handleOf(ref))?.focus();
    leaf.scrollIntoView({ block: "nearest" });
    announce(t("view.layout.moved"));
  }

  async #save(): Promise<void> {
    const { data } = this.#page;
    const draft = this.#draft;
    if (JSON.stringify(draft) === JSON.stringify(this.#before)) return this.#close();
    try {
      const name = nameElement(data.name);
      await change(this.#page, saveLayout(data, draft), t.rich("view.layout.saved", { page: name }));
      this.#close();
    } catch (error) {
      this.#page.showError(error, () => void this.#save());
    }
  }

  /** Shows the stored layout. */
  #close(): void {
    isOpen = false;
    setAddress(false);
    find(".layout-bar", this.#host).remove();
    for (const tools of this.#host.querySelectorAll(".leaf-editor")) {
      for (const covered of tools.parentElement?.children ?? []) covered.removeAttribute("inert");
      tools.remove();
    }
    this.#host.classList.remove("editing-layout");
    this.#page.preview(null);
    find("#view-tools").querySelector<HTMLElement>(".edit-layout")?.focus();
  }
}

/** A reload opens the editor again. */
function setAddress(isEditing: boolean): void {
  const address = new URL(location.href);
  if (isEditing) address.searchParams.set("edit", "layout");
  else address.searchParams.delete("edit");
  history.replaceState(history.state, "", address);
}
