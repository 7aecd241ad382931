import { announce } from "../../../../base/client/announce.ts";
import { h, nameElement } from "../../../../base/client/dom.ts";
import { HEADER_ROW } from "../../../../base/client/grid/selection.ts";
import { t } from "../../../../base/client/texts.ts";
import type { Sheet } from "../sheet.ts";
import type { Column } from "./columns.ts";
import { forgetHiddenFrozen } from "./hide-columns.ts";

/** Moves a shown column to the position of another one, in the order of the view. */
export function moveColumn(sheet: Sheet, from: number, to: number): void {
  const { shown, view, grid } = sheet;
  const [column, target] = [shown[from], shown[to]];
  if (!column || !target || from === to) return;
  const ids = sheet.columns.map(({ id }) => id).filter((id) => id !== column.id);
  const at = ids.indexOf(target.id) + (to > from ? 1 : 0);
  view.update({ order: ids.toSpliced(at, 0, column.id) }, { replaces: true });
  grid.activate({ row: HEADER_ROW, column: to });
  const name = nameElement(column.name);
  announce(h("p", {}, ...t.rich("table.column.moved", { column: name, position: to + 1, count: shown.length })));
}

/** Freezes the shown columns up to one, or none. */
export function freezeUpTo(sheet: Sheet, column: Column | null): void {
  const { view, shown } = sheet;
  forgetHiddenFrozen(sheet);
  view.update({ frozen: column ? shown.indexOf(column) + 1 : 0 }, { replaces: true });
}

export const isFrozen = ({ view, shown }: Sheet, column: Column): boolean => {
  const at = shown.indexOf(column);
  return at >= 0 && at < view.state.frozen;
};
