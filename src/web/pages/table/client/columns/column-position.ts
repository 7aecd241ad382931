import type { Sheet } from "../sheet.ts";
import type { Column } from "./columns.ts";

/** Where a new column goes. */
export interface ColumnPosition {
  readonly column: Column;
  readonly side: "left" | "right";
}

/** Returns the field of a new column that gives it a position in the table. */
export function storedPosition(place: ColumnPosition | undefined, { data }: Sheet): Record<string, unknown> {
  if (!place) return {};
  const positions = data.columns
    .map(({ id, fields }) => ({ id, at: fields.parentPos ?? 0 }))
    .toSorted((a, b) => a.at - b.at);
  const here = positions.findIndex(({ id }) => id === place.column.id);
  // A new column goes before the one that has the given position.
  const next = positions[place.side === "left" ? here : here + 1];
  return here >= 0 && next ? { _position: next.at } : {};
}

/** A view with an order of its own shows new columns last: puts one beside another one. */
export function placeInView(id: string, place: ColumnPosition | undefined, { view, columns }: Sheet): void {
  if (!place || view.state.order.length === 0) return;
  const ids = columns.map((each) => each.id).filter((each) => each !== id);
  const at = ids.indexOf(place.column.id) + (place.side === "right" ? 1 : 0);
  view.update({ order: ids.toSpliced(at, 0, id) }, { replaces: true });
}
