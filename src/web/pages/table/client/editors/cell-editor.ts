import type { CellValue } from "../../../../../values/cell.ts";
import type { Child } from "../../../../base/client/dom.ts";
import type { DocumentSettings, NamedTable, RecordJson } from "../../../../base/table-data.ts";
import type { Column } from "../columns/columns.ts";
import type { UserAction } from "../undo-manager.ts";

/** The parsed input of an editor. */
export interface EditorValue {
  readonly value: CellValue;
  /** Says why it does not fit the column, before it is kept as text. */
  readonly warning: (() => readonly Child[]) | null;
  /** Whether it cannot be kept as text either. */
  readonly isRefused?: boolean;
  /** Values that the row's cells show until they are reloaded. */
  readonly shown?: Readonly<Record<string, unknown>>;
  /** Returns actions that precede it in the same change, for the column as it is by then. */
  readonly before?: ((column: Column) => readonly UserAction[]) | undefined;
}

/** A cell editor: an element that has the focus, and its value. */
export interface CellEditor {
  readonly element: HTMLElement;
  /** Whether it has a list of options: touch screens show it as a sheet. */
  readonly hasOptions?: boolean;
  focus(): void;
  value(): EditorValue;
  /** True when the editor handles a key itself, such as an arrow in an open list. */
  takes?(event: KeyboardEvent): boolean;
  /** Whether Tab keeps a text that does not fit without asking: the next keys are for the next cell. */
  readonly keepsTextOnTab?: boolean;
  /** The search for the typed text, while it is in progress. */
  pendingSearch?(): Promise<unknown> | null;
}

export interface EditorContext {
  readonly docId: string;
  readonly column: Column;
  readonly row: RecordJson;
  /** The typed text that replaces the cell's value; null keeps it. */
  readonly typedCount: string | null;
  readonly settings: DocumentSettings;
  /** The tables of the document, by which references name theirs. */
  readonly tables: readonly NamedTable[];
  /** Whether the user may change columns, and so add choices. */
  readonly canChangeColumns: boolean;
  /** Called when the selection is complete. */
  readonly onDone: () => void;
}
