/** Saves the view of a section: for everyone in the document, or for its reader only. */
import { api } from "../../../../base/client/api.ts";
import { type Child, contentChildren, h, icon } from "../../../../base/client/dom.ts";
import { type MenuItem, openMenu } from "../../../../base/client/menu.ts";
import { t } from "../../../../base/client/texts.ts";
import { showToast } from "../../../../base/client/toast.ts";
import { saveActions } from "../../../../base/views/save-section.ts";
import type { SectionParameters } from "../../../../base/views/section-address.ts";
import { splitFilter } from "../../../../base/views/storable-filter.ts";
import type { UndoManager } from "../../../table/client/undo-manager.ts";
import type { ViewSaving } from "../../../table/client/view/view-saving.ts";
import type { SavedViewStore } from "./saved-view-store.ts";

export interface SectionSavingOptions {
  readonly docId: string;
  readonly store: SavedViewStore;
  readonly changes: UndoManager;
  /** Whether the reader may change the view of everyone. */
  readonly canSaveForAll: boolean;
  /** Whether the reader is signed in. */
  readonly canSaveForMe: boolean;
  /** Reads the section again. */
  readonly reload: () => Promise<void>;
  readonly showError: (error: unknown, retry?: () => void) => void;
}

export class SectionSaving implements ViewSaving {
  readonly #options: SectionSavingOptions;

  constructor(options: SectionSavingOptions) {
    this.#options = options;
  }

  get pinned(): readonly string[] {
    return this.#options.store.pinned;
  }

  setPinned(columnId: string, isPinned: boolean): void {
    this.#options.store.setPinned(columnId, isPinned);
  }

  get key(): string {
    const { store } = this.#options;
    return `${store.status} ${store.isOutdated}`;
  }

  onChange(listener: () => void): void {
    this.#options.store.onStatus(listener);
  }

  notes(): readonly string[] {
    const { store } = this.#options;
    const { rest } = splitFilter(store.state.filter, store);
    const isIgnored = Object.keys(rest).length > 0;
    return [...(isIgnored ? [t("view.saving.ignored")] : []), t("view.saving.noAccess")];
  }

  controls(): readonly Child[] {
    const { store, canSaveForAll, canSaveForMe } = this.#options;
    const outdated = store.isOutdated && [
      h(
        "span",
        { class: "chip view-chip fixed", role: "listitem" },
        icon("triangle-alert"),
        h("span", {}, t("view.saving.outdated")),
      ),
    ];
    return [...(outdated || []), ...this.#statusControls({ canSaveForAll, canSaveForMe })];
  }

  #statusControls({ canSaveForAll, canSaveForMe }: { canSaveForAll: boolean; canSaveForMe: boolean }): Child[] {
    const { status } = this.#options.store;
    if (status === "saved") return [];
    if (status === "own") {
      return [line(t("view.saving.own"), [{ label: t("view.saving.reset"), run: () => void this.#reset() }])];
    }
    const commands = [
      ...(canSaveForAll ? [{ label: t("view.saving.forAll"), run: () => void this.#saveForAll() }] : []),
      ...(canSaveForMe ? [{ label: t("view.saving.forMe"), run: () => void this.#saveForMe() }] : []),
      { label: t("view.saving.discard"), run: () => this.#discard() },
    ];
    return [line(t("view.saving.unsaved"), commands)];
  }

  async #saveForAll(): Promise<void> {
    const { store, changes, reload, showError } = this.#options;
    const { personal } = store;
    const { filter, groups } = store.state;
    const { rest } = splitFilter(filter, store);
    try {
      const actions = saveActions(store.view, store);
      if (actions.length > 0) await changes.apply(actions, { asTyped: false });
      const state = actions.length > 0 ? changes.latestState : null;
      // Otherwise their own view would hide what they have saved.
      if (personal !== null) await this.#putPersonal(null);
      await reload();
      store.discard();
      const undo = async () => {
        if (state !== null) await changes.undo(state);
        if (personal !== null) await this.#putPersonal(personal);
        await reload();
      };
      const isIgnored = Object.keys(rest).length > 0;
      const text = isIgnored ? t("view.saving.savedFilter") : groups.length > 0 ? t("view.saving.savedGroups") : null;
      this.#offerUndo(text ?? t("view.saving.savedForAll"), undo);
    } catch (error) {
      showError(error, () => void this.#saveForAll());
    }
  }

  async #saveForMe(): Promise<void> {
    const { store, showError } = this.#options;
    const { personal } = store;
    try {
      await this.#putPersonal(store.personalParameters);
      store.discard();
      this.#offerUndo(t("view.saving.savedForMe"), () => this.#putPersonal(personal));
    } catch (error) {
      showError(error, () => void this.#saveForMe());
    }
  }

  async #reset(): Promise<void> {
    const { store, showError } = this.#options;
    const { personal } = store;
    try {
      await this.#putPersonal(null);
      this.#offerUndo(t("view.saving.wasReset"), () => this.#putPersonal(personal));
    } catch (error) {
      showError(error, () => void this.#reset());
    }
  }

  #discard(): void {
    const { store } = this.#options;
    const { view } = store;
    store.discard();
    const close = showToast(t("view.saving.discarded"), {
      action: { label: t("table.undo"), run: () => store.restore(view) },
    });
    this.#closeWithNextChange(close);
  }

  /** A view without differences is the one for everyone. */
  async #putPersonal(parameters: SectionParameters | null): Promise<void> {
    const { docId, store } = this.#options;
    const path = `/api/docs/${docId}/sections/${store.section.ref}/view`;
    const isOwn = parameters !== null && Object.keys(parameters).length > 0;
    await api(path, isOwn ? { method: "PUT", body: parameters } : { method: "DELETE" });
    store.setPersonal(isOwn ? parameters : null);
  }

  #offerUndo(text: string, undo: () => Promise<void>): void {
    const run = () => void undo().catch((error: unknown) => this.#options.showError(error));
    this.#closeWithNextChange(showToast(text, { action: { label: t("table.undo"), run } }));
  }

  #closeWithNextChange(close: () => void): void {
    const stop = this.#options.changes.onBeforeChange(() => {
      stop();
      close();
    });
  }
}

/** Buttons, and for narrow sections a menu of the same commands. */
function line(text: string, commands: readonly MenuItem[]): HTMLElement {
  const menu = h(
    "button",
    { type: "button", class: "plain small clear narrow", tabindex: -1, "aria-haspopup": "menu" },
    text,
    icon("chevron-down"),
  );
  menu.addEventListener("click", () => openMenu(menu, commands));
  const buttons = commands.map(({ label, run }) =>
    h(
      "button",
      { type: "button", class: "plain small clear wide", tabindex: -1, onclick: run },
      ...contentChildren(label),
    ),
  );
  return h(
    "span",
    { class: "saving", role: "listitem" },
    h("span", { class: "quiet wide" }, t("view.saving.label", { state: text })),
    ...buttons,
    menu,
  );
}
