/** The view of a section as its metadata has it. Changes are shown until the page is left. */
import type { ColumnListing } from "../../../base/table-data.ts";
import type { ViewState } from "../../../base/view-state.ts";
import type { SectionData } from "../../../base/views/section-data.ts";
import { readSectionView } from "../../../base/views/section-view.ts";
import type { ViewStore } from "../../table/client/view/view-store.ts";

export class SectionViewStore implements ViewStore {
  #saved: ViewState;
  #changes: Partial<ViewState> = {};
  readonly #listeners = new Set<(state: ViewState) => void>();

  constructor(section: SectionData, columns: readonly ColumnListing[]) {
    this.#saved = readSectionView(section, columns).state;
  }

  get state(): ViewState {
    return { ...this.#saved, ...this.#changes };
  }

  update(state: ViewState): void {
    const isOther = ([key, value]: [string, unknown]): boolean =>
      JSON.stringify(value) !== JSON.stringify(this.#saved[key as keyof ViewState]);
    this.#changes = Object.fromEntries(Object.entries(state).filter(isOther));
  }

  onChange(listener: (state: ViewState) => void): void {
    this.#listeners.add(listener);
  }

  /** The section was changed, here or elsewhere. */
  setSection(section: SectionData, columns: readonly ColumnListing[]): void {
    const before = JSON.stringify(this.state);
    this.#saved = readSectionView(section, columns).state;
    if (JSON.stringify(this.state) !== before) for (const listener of this.#listeners) listener(this.state);
  }
}
