/** Keeps the view of a table in the address, so that it can be reloaded and shared, and in this browser for the next visit. */
import { keepView } from "../../../../base/client/kept-views.ts";
import { parseViewState, type ViewState, withViewState } from "../../../../base/view-state.ts";
import type { UpdateOptions, ViewStore } from "./view-store.ts";

const viewOfAddress = (): ViewState => parseViewState(new URLSearchParams(location.search));

export class AddressViewStore implements ViewStore {
  readonly #place: { readonly docId: string; readonly table: string };
  #state = viewOfAddress();

  constructor(place: { readonly docId: string; readonly table: string }) {
    this.#place = place;
    this.#keep();
  }

  get state(): ViewState {
    return this.#state;
  }

  update(state: ViewState, { replaces }: UpdateOptions): void {
    this.#state = state;
    const before = new URLSearchParams(location.search);
    const query = withViewState(before, state);
    query.delete("view");
    const text = query.toString();
    if (text !== before.toString()) {
      const address = text ? `?${text}` : location.pathname;
      if (replaces) history.replaceState(history.state, "", address);
      else history.pushState(null, "", address);
    }
    this.#keep();
  }

  onChange(listener: (state: ViewState) => void): void {
    window.addEventListener("popstate", () => {
      this.#state = viewOfAddress();
      this.#keep();
      listener(this.#state);
    });
  }

  #keep(): void {
    const { docId, table } = this.#place;
    keepView(docId, table, withViewState(new URLSearchParams(), this.#state).toString());
  }
}
