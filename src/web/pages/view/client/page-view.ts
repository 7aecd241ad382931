/** A page with its sections: opens them, keeps them up to date, and gives keys to the active one. */
import { ApiError, send } from "../../../base/client/api.ts";
import { find, h, replaceChildren } from "../../../base/client/dom.ts";
import type { MenuEntry } from "../../../base/client/menu.ts";
import { showError } from "../../../base/client/problem.ts";
import { hasUnsavedChanges } from "../../../base/client/unsaved.ts";
import { t } from "../../../base/client/texts.ts";
import { type BoxLayout, leavesOf } from "../../../base/views/box-layout.ts";
import type { SectionData } from "../../../base/views/section-data.ts";
import { presentationOf, sectionTitle } from "../../../base/views/section-title.ts";
import type { ViewPageData } from "../../../base/views/view-page-data.ts";
import { isNavigating } from "../../table/client/navigation.ts";
import { withStoredIds } from "../../table/client/rows/stored-ids.ts";
import { UndoManager } from "../../table/client/undo-manager.ts";
import { boxElement, keepingPlace } from "./boxes.ts";
import { Links } from "./links.ts";
import { openSection } from "./open-section.ts";
import { type PageModel, tableOf } from "./page-model.ts";
import type { SectionController } from "./section-controller.ts";
import { sectionItems } from "./section-items.ts";
import { showSource } from "./section-source.ts";

/** How often to look whether an editor is still open. */
const TYPING_CHECK_MS = 500;

export class PageView implements PageModel {
  readonly changes: UndoManager;
  #data: ViewPageData;
  #active: number | null = null;
  readonly #controllers = new Map<number, SectionController>();
  /** Sections whose script is being loaded. */
  readonly #opening = new Set<number>();
  readonly #links: Links;
  readonly #listeners = new Set<() => void>();
  #reading: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #preview: BoxLayout | null = null;
  /** The window is loaded again once no input is open. */
  #waiting: ReturnType<typeof setInterval> | undefined;

  constructor(data: ViewPageData) {
    this.#data = data;
    this.changes = new UndoManager({ docId: data.docId, table: null });
    this.changes.onChange(() => {
      if (!isNavigating()) for (const each of this.#controllers.values()) each.refresh();
    });
    this.changes.prepareWith((actions) => {
      const stores = [...this.#controllers.values()];
      return withStoredIds(
        actions,
        stores.map((each) => ({ idOf: (id) => each.storedId(id) ?? id })),
      );
    });
    this.#links = new Links({
      data: () => this.#data,
      controllerOf: (ref) => this.#controllers.get(ref),
      showSource: (ref, source) => showSource(this, ref, source),
    });
  }

  get data(): ViewPageData {
    return this.#data;
  }

  get activeSection(): number | null {
    return this.#active;
  }

  /** The only section of a page fills it. */
  get isOnly(): boolean {
    return find("#view").dataset["only"] !== undefined;
  }

  controllerOf(ref: number): SectionController | undefined {
    return this.#controllers.get(ref);
  }

  get controllers(): ReadonlyMap<number, SectionController> {
    return this.#controllers;
  }

  /** Subscribes to changes of the page's data, and of the active section. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** The element of a section, which boxes contain. */
  leafOf(ref: number): HTMLElement {
    return find(`#section-${ref}`);
  }

  /** Opens all sections that are shown or select rows of others. */
  open(): void {
    const { layout, sections } = this.#data;
    const sources = new Set(sections.map(({ linkSourceSection }) => linkSourceSection));
    const shown = new Set(leavesOf(layout.root));
    // Sources first: others show the rows that they select.
    const ordered = sections.toSorted((a, b) => Number(sources.has(b.ref)) - Number(sources.has(a.ref)));
    for (const section of ordered)
      if (shown.has(section.ref) || sources.has(section.ref)) this.openSection(section.ref);
    this.activate(leavesOf(layout.root)[0] ?? null);
  }

  /** Opens a section, once. */
  openSection(ref: number): void {
    const section = this.#data.sections.find((each) => each.ref === ref);
    const table = section && tableOf(this.#data, section);
    if (!section || !table || this.#controllers.has(ref) || this.#opening.has(ref)) return;
    const root = this.isOnly ? find("#view") : this.leafOf(ref);
    const activate = () => this.activate(ref);
    for (const event of ["focusin", "pointerdown"]) root.addEventListener(event, activate);
    const opened = openSection({ page: this, section, table, root, isOnly: this.isOnly });
    if (opened instanceof Promise) void this.#openLate(ref, opened, root);
    else if (opened) this.#add(ref, opened);
  }

  async #openLate(ref: number, opening: Promise<SectionController>, root: HTMLElement): Promise<void> {
    this.#opening.add(ref);
    try {
      const controller = await opening;
      if (root.isConnected) this.#add(ref, controller);
    } catch (error) {
      this.showError(error, () => this.openSection(ref));
    } finally {
      this.#opening.delete(ref);
    }
  }

  #add(ref: number, controller: SectionController): void {
    this.#controllers.set(ref, controller);
    this.#links.add(ref, controller);
    // Its source may have been opened before.
    this.#links.applyAll();
    if (this.#active === ref) controller.activated();
  }

  /** Keys and commands of the page are for this section from now on. */
  activate(ref: number | null): void {
    if (this.#active === ref) return;
    this.#active = ref;
    for (const leaf of find("#view").querySelectorAll<HTMLElement>(".leaf")) {
      leaf.classList.toggle("active", leaf.dataset["section"] === String(ref));
    }
    if (ref !== null) this.#controllers.get(ref)?.activated();
    this.#notify();
  }

  items(ref: number, openCardLayout?: () => void): MenuEntry[] {
    return sectionItems(this, ref, openCardLayout);
  }

  menuButtonOf(ref: number): HTMLElement {
    const button = this.isOnly ? ".sheet-name + button" : `#section-${ref} .section-menu`;
    return find(button, find("#view"));
  }

  focusSection(ref: number): void {
    this.activate(ref);
    const controller = this.#controllers.get(ref);
    if (controller) controller.focus();
    else this.menuButtonOf(ref).focus();
  }

  showError(error: unknown, retry?: () => void): void {
    const active = this.#controllers.get(this.#active ?? 0);
    if (active) active.showError(error, retry);
    else showError(find("#view-problem"), error, { ...(retry && { retry }), canClose: true });
  }

  /** Reads the page again. Requests at the same time share an answer, if that begins after them. */
  reload(): Promise<void> {
    if (this.#reading) {
      return (this.#next ??= this.#reading
        .catch(() => {})
        .then(() => {
          this.#next = null;
          return this.reload();
        }));
    }
    this.#reading = this.#read().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #read(): Promise<void> {
    const address = `${location.pathname}${location.search}`;
    const response = await send(address, { headers: { Accept: "text/html" }, isPage: true });
    // Rendered by our own server, which escapes texts; scripts in it would not run.
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const text = page.querySelector("#view-data")?.textContent;
    if (!text) throw new ApiError("refused", t("view.gone"), {});
    this.#show({ ...(JSON.parse(text) as ViewPageData), eventId: this.#data.eventId }, page);
  }

  #show(now: ViewPageData, page: Document): void {
    const before = this.#data;
    const only = find("#view", page).dataset["only"];
    // A section that fills the page has other tools.
    const replaced = replacedSections(before, now);
    if (only !== find("#view").dataset["only"] || (this.isOnly && replaced.length > 0)) return this.#reloadWindow();
    this.#data = now;
    document.title = page.title;
    for (const ref of replaced) this.#controllers.delete(ref);
    if (replaced.length > 0 || JSON.stringify(before.layout) !== JSON.stringify(now.layout)) {
      this.layOut((ref) => (replaced.includes(ref) ? document.adoptNode(find(`#section-${ref}`, page)) : null));
    }
    for (const section of now.sections) this.#update(section, before);
    if (replaced.length > 0) this.open();
    this.#links.applyAll();
    if (!this.isOnly) replaceChildren(find("#view-name"), ...find("#view-name", page).cloneNode(true).childNodes);
    this.#notify();
  }

  /** Waits while someone types: what they have entered would be lost. */
  #reloadWindow(): void {
    if (!isTyping() && !this.changes.isBusy) return location.reload();
    // Editors close without an event of the page.
    this.#waiting ??= setInterval(() => {
      if (isTyping() || this.changes.isBusy) return;
      clearInterval(this.#waiting);
      this.#waiting = undefined;
      this.reload().catch((error: unknown) => this.showError(error));
    }, TYPING_CHECK_MS);
  }

  #update(section: SectionData, before: ViewPageData): void {
    const { ref, table } = section;
    const controller = this.#controllers.get(ref);
    const content = tableOf(this.#data, section);
    const former = before.sections.find((each) => each.ref === ref);
    const title = sectionTitle(t, section, this.#data.tables);
    const name = this.isOnly ? null : this.leafOf(ref).querySelector("[data-part=name]");
    if (name && name.textContent !== title) replaceChildren(name, h("bdi", { translate: "no" }, title));
    if (!controller || !content) return;
    const isSame = (key: (data: ViewPageData, each: SectionData | undefined) => unknown): boolean =>
      JSON.stringify(key(this.#data, section)) === JSON.stringify(key(before, former));
    if (isSame((data, each) => [each, data.contents[table ?? ""]])) return;
    controller.update(section, content);
    void controller.refreshFromRemote();
  }

  /** Shows a layout that is not stored; null for the stored one. */
  preview(layout: BoxLayout | null): void {
    this.#preview = layout;
    this.layOut();
  }

  /** A panel covers the right edge of the page. */
  coverRight(width: number): void {
    for (const controller of this.#controllers.values()) controller.coverRight(width);
  }

  /** Puts the sections into the boxes of the layout. @param replacement returns the new element of a section */
  layOut(replacement: (ref: number) => HTMLElement | null = () => null): void {
    if (this.isOnly) return;
    const layout = this.#preview ?? this.#data.layout;
    const boxes = find("#view-boxes");
    const tray = find("#view-tray");
    keepingPlace(find("#view"), () => {
      const leafOf = (ref: number): HTMLElement => {
        const leaf = replacement(ref) ?? this.leafOf(ref);
        leaf.hidden = false;
        return leaf;
      };
      const collapsed = layout.collapsed.map(leafOf);
      for (const leaf of collapsed) leaf.hidden = true;
      replaceChildren(boxes, boxElement(layout.root, leafOf));
      replaceChildren(tray, ...collapsed);
    });
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Whether input is not saved, or a field has the focus other than the one in which a grid takes keys. */
function isTyping(): boolean {
  const field = document.activeElement?.closest("input:not([type=checkbox], [type=radio]), textarea, select");
  return hasUnsavedChanges() || (!!field && field.closest(".grid") === null);
}

/** Sections that are new, or show another table or in another way: their elements are made again. */
function replacedSections(before: ViewPageData, now: ViewPageData): number[] {
  const key = ({ sections }: ViewPageData, ref: number): string => {
    const found = sections.find((each) => each.ref === ref);
    return found ? JSON.stringify([presentationOf(found.kind), found.kind, found.table]) : "";
  };
  const refs = new Set([...before.sections, ...now.sections].map(({ ref }) => ref));
  return [...refs].filter((ref) => key(before, ref) !== key(now, ref));
}
