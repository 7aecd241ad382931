/** Where a view is stored: the page of a table has it in its address, a section of a page in the document. */
import type { ViewState } from "../../../../base/view-state.ts";
import type { SectionStyle } from "../../../../base/views/section-view.ts";
import type { ShownField } from "./shown-field.ts";
import type { ViewSaving } from "./view-saving.ts";

export interface UpdateOptions {
  /** Whether the change replaces the previous one, instead of being a step of its own for Back. */
  readonly replaces: boolean;
}

export interface ViewStore {
  /** The view as it is shown, with what is not saved. */
  readonly state: ViewState;
  /** How rows are drawn; the page of a table has no choice. */
  readonly style?: SectionStyle;
  /** How changes are saved; undefined where they need not be. */
  readonly saving?: ViewSaving;
  /** The parameter of the address that names the open row; by default, that of a table. */
  readonly rowParameter?: string;
  /** Returns the field of a shown column in its section; null on the page of a table. */
  fieldOf?(colRef: number): ShownField | null;
  /** Stores a view. The caller already shows it: listeners are not called. */
  update(state: ViewState, options: UpdateOptions): void;
  /** Subscribes to changes that do not come from `update`, such as those of Back or of other users. */
  onChange(listener: (state: ViewState) => void): void;
}
