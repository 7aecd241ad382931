import type { Column } from "../columns/columns.ts";
import type { Sheet } from "../sheet.ts";

/** Opens the panel that explains a cell; its script is loaded on first use. */
export async function openWhy(sheet: Sheet, cell: { column: Column; rowId: number }): Promise<void> {
  try {
    const { openWhyPanel } = await import("./why-panel.ts");
    await openWhyPanel(sheet, cell);
  } catch (error) {
    sheet.showError(error, () => void openWhy(sheet, cell));
  }
}
