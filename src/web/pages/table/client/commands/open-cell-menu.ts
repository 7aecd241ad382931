import type { CellMenuOptions } from "./cell-menu.ts";

/** Opens the menu of the selection; its script is loaded on first use. Keys pressed meanwhile reach the menu. */
export async function openCellMenu(
  element: HTMLElement,
  at: { x: number; y: number },
  options: CellMenuOptions,
): Promise<void> {
  const { sheet } = options;
  try {
    const open = async () => (await import("./cell-menu.ts")).openCellMenu(element, at, options);
    await sheet.heldKeys.during(open());
  } catch (error) {
    sheet.showError(error, () => void openCellMenu(element, at, options));
  }
}
