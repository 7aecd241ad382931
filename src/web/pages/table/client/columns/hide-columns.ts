import type { Sheet } from "../sheet.ts";

/** Columns that were hidden while they were frozen: shown again, they are frozen as before. */
const hiddenFrozen = new WeakMap<Sheet, Set<string>>();

function rememberedOf(sheet: Sheet): Set<string> {
  const known = hiddenFrozen.get(sheet) ?? new Set();
  hiddenFrozen.set(sheet, known);
  return known;
}

/** Called when the user chooses which columns are frozen. */
export const forgetHiddenFrozen = (sheet: Sheet): void => rememberedOf(sheet).clear();

/** Hides exactly these columns. The columns that remain of the frozen ones stay frozen. */
export function setHiddenColumns(sheet: Sheet, hidden: readonly string[]): void {
  const { columns, shown, view } = sheet;
  const remembered = rememberedOf(sheet);
  const frozen = new Set(shown.slice(0, view.state.frozen).map(({ id }) => id));
  for (const id of frozen) if (hidden.includes(id)) remembered.add(id);
  const now = columns.map(({ id }) => id).filter((id) => !hidden.includes(id));
  let count = now.findLastIndex((id) => frozen.has(id)) + 1;
  for (let id = now[count]; id !== undefined && remembered.has(id); id = now[count]) count++;
  for (const id of now) remembered.delete(id);
  view.update({ hidden, frozen: count }, { replaces: true });
}

export function setColumnHidden(sheet: Sheet, id: string, isHidden: boolean): void {
  const others = sheet.view.state.hidden.filter((each) => each !== id);
  setHiddenColumns(sheet, isHidden ? [...others, id] : others);
}
