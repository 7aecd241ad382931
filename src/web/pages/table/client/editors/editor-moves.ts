import type { CellPosition } from "../../../../base/client/grid/selection.ts";

/** Returns the cell that becomes active when an editor is left by a key. Tab continues in the next row. */
export function cellAfter(
  command: string,
  { row, column }: CellPosition,
  size: { rows: number; columns: number },
): CellPosition {
  const last = size.rows * size.columns - 1;
  const wrapped = (index: number): CellPosition => {
    const within = Math.max(0, Math.min(last, index));
    return { row: Math.floor(within / size.columns), column: within % size.columns };
  };
  switch (command) {
    case "saveDown":
      return { row: Math.min(size.rows - 1, row + 1), column };
    case "saveUp":
      return { row: Math.max(0, row - 1), column };
    case "saveLeft":
      return { row, column: Math.max(0, column - 1) };
    case "saveRight":
      return { row, column: Math.min(size.columns - 1, column + 1) };
    case "saveNext":
      return wrapped(row * size.columns + column + 1);
    case "savePrevious":
      return wrapped(row * size.columns + column - 1);
    default:
      return { row, column };
  }
}

/** Inserts a text at the caret. Returns false for elements without one. */
export function insertText(field: EventTarget | null, text: string): boolean {
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return false;
  field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, "end");
  field.dispatchEvent(new InputEvent("input", { data: text, bubbles: true }));
  return true;
}
