/**
 * The view of a section: as its metadata has it, or as its reader has saved it for themselves. Differences from that are in the
 * address of the page, so that it can be reloaded and shared.
 */
import type { ColumnListing } from "../../../../base/table-data.ts";
import type { ViewState } from "../../../../base/view-state.ts";
import { hasOwnSettings } from "../../../../base/views/field-settings.ts";
import { sectionRowParameter } from "../../../../base/views/row-address.ts";
import type { SavedView } from "../../../../base/views/save-section.ts";
import {
  differences,
  ownView,
  renameParameters,
  sectionParameters,
  type SectionParameters,
  withParameters,
  withSectionParameters,
} from "../../../../base/views/section-address.ts";
import type { SectionData } from "../../../../base/views/section-data.ts";
import { readSectionStyle, readSectionView, type SectionStyle } from "../../../../base/views/section-view.ts";
import type { FilterContext } from "../../../../base/views/storable-filter.ts";
import type { ViewSaving } from "../../../table/client/view/view-saving.ts";
import type { ShownField } from "../../../table/client/view/shown-field.ts";
import type { UpdateOptions, ViewStore } from "../../../table/client/view/view-store.ts";

export interface SectionViewOptions {
  readonly section: SectionData;
  readonly columns: readonly ColumnListing[];
  /** The document's. */
  readonly timezone: string;
  /** The reader's own view; null for none. */
  readonly personal: SectionParameters | null;
}

export type ViewStatus = "saved" | "own" | "changed";

export class SavedViewStore implements ViewStore {
  /** Set by its consumer. */
  saving?: ViewSaving;
  #options: SectionViewOptions;
  /** For everyone, and for the reader. */
  #section: SavedView & { readonly isOutdated: boolean };
  #own: SavedView;
  #view: SavedView;
  readonly #listeners = new Set<(state: ViewState) => void>();
  readonly #statusListeners = new Set<() => void>();

  constructor(options: SectionViewOptions) {
    this.#options = options;
    this.#section = readSectionView(options.section, options.columns);
    this.#own = this.#readOwn();
    this.#view = this.#readAddress();
    window.addEventListener("popstate", () => this.#show(this.#readAddress()));
  }

  get state(): ViewState {
    return this.#view.state;
  }

  get style(): SectionStyle {
    return readSectionStyle(this.section);
  }

  get rowParameter(): string {
    return sectionRowParameter(this.section.ref);
  }

  fieldOf(colRef: number): ShownField | null {
    const field = this.section.fields.find((each) => each.colRef === colRef);
    const column = this.columns.find(({ fields }) => fields.colRef === colRef);
    if (!field || !column) return null;
    const { widgetOptions: columnOptions, visibleCol } = column.fields;
    return { ref: field.ref, hasOwnSettings: hasOwnSettings(field), columnOptions, visibleCol, rules: field.rules };
  }

  get pinned(): readonly string[] {
    return this.#view.pinned;
  }

  get section(): SectionData {
    return this.#options.section;
  }

  get columns(): readonly ColumnListing[] {
    return this.#options.columns;
  }

  get timezone(): string {
    return this.#options.timezone;
  }

  get personal(): SectionParameters | null {
    return this.#options.personal;
  }

  /** The view with what is not saved. */
  get view(): SavedView {
    return this.#view;
  }

  get status(): ViewStatus {
    const { find: _, ...changes } = differences(this.#view, this.#own, this.#context);
    if (Object.keys(changes).length > 0) return "changed";
    return this.personal === null ? "saved" : "own";
  }

  /** Whether another program has changed the section, so that the filter of Quern does not apply. */
  get isOutdated(): boolean {
    return this.#section.isOutdated;
  }

  /** The parameters of a view for the reader only, which name columns by their row ids. */
  get personalParameters(): SectionParameters {
    const { find: _, ...parameters } = differences(this.#view, this.#section, this.#context);
    return renameParameters(parameters, new Map(this.columns.map(({ id, fields }) => [id, String(fields.colRef)])));
  }

  update(state: ViewState, { replaces }: UpdateOptions): void {
    this.#view = { ...this.#view, state };
    this.#write(replaces);
    this.#notifyStatus();
  }

  /** A pinned filter stays when it has no value. */
  setPinned(columnId: string, isPinned: boolean): void {
    const others = this.#view.pinned.filter((id) => id !== columnId);
    this.restore({ ...this.#view, pinned: isPinned ? [...others, columnId] : others });
  }

  /** Shows the view as it is saved. */
  discard(): void {
    const { find } = this.#view.state;
    this.restore({ ...this.#own, state: { ...this.#own.state, find } });
  }

  /** Shows a view that was shown before. */
  restore(view: SavedView): void {
    this.#write(false, view);
    this.#show(view);
  }

  onChange(listener: (state: ViewState) => void): void {
    this.#listeners.add(listener);
  }

  /** Subscribes to changes of the status. */
  onStatus(listener: () => void): void {
    this.#statusListeners.add(listener);
  }

  /** The section was changed, here or elsewhere. Differences stay. */
  setSection(section: SectionData, columns: readonly ColumnListing[]): void {
    this.#set({ ...this.#options, section, columns });
  }

  setPersonal(personal: SectionParameters | null): void {
    this.#set({ ...this.#options, personal });
  }

  #set(options: SectionViewOptions): void {
    this.#options = options;
    this.#section = readSectionView(options.section, options.columns);
    this.#own = this.#readOwn();
    this.#show(this.#readAddress());
    // Differences may have been saved.
    this.#write(true);
  }

  get #context(): FilterContext {
    return this.#options;
  }

  #readOwn(): SavedView {
    return ownView(this.#section, this.personal, this.columns);
  }

  #readAddress(): SavedView {
    const parameters = sectionParameters(new URLSearchParams(location.search), this.section.ref);
    return withParameters(this.#own, parameters, this.#options);
  }

  #write(replaces: boolean, view = this.#view): void {
    const before = new URLSearchParams(location.search);
    const query = withSectionParameters(before, this.section.ref, differences(view, this.#own, this.#context));
    const text = query.toString();
    if (text === before.toString()) return;
    const address = text ? `?${text}` : location.pathname;
    if (replaces) history.replaceState(history.state, "", address);
    else history.pushState(null, "", address);
  }

  #show(view: SavedView): void {
    const before = JSON.stringify(this.#view.state);
    this.#view = view;
    if (JSON.stringify(view.state) !== before) for (const listener of this.#listeners) listener(view.state);
    this.#notifyStatus();
  }

  #notifyStatus(): void {
    for (const listener of this.#statusListeners) listener();
  }
}
