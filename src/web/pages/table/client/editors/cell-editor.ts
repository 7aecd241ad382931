import type { CellValue } from "../../../../../values/cell.ts";
import type { DocumentSettings, RecordJson } from "../../../../base/table-data.ts";
import type { Column } from "../columns/columns.ts";

/** What the person means by what stands in an editor. */
export interface EditorValue {
  readonly value: CellValue;
  /** Said to the person before it is kept as it is: why it does not fit. */
  readonly warning: string | null;
  /** What the cells of the row show until they are read anew. */
  readonly shown?: Readonly<Record<string, unknown>>;
}

/** What a cell is changed in: an element with the focus inside, and what stands in it. */
export interface CellEditor {
  readonly element: HTMLElement;
  focus(): void;
  value(): EditorValue;
  /** True when a key is the editor's own, such as an arrow in a list that is open. */
  takes?(event: KeyboardEvent): boolean;
}

export interface EditorContext {
  readonly docId: string;
  readonly column: Column;
  readonly row: RecordJson;
  /** What was typed on the cell, in place of what stands there; null to begin with that. */
  readonly typedCount: string | null;
  readonly settings: DocumentSettings;
  /** Called when the person has chosen what there was to choose. */
  readonly onDone: () => void;
}
