import { errorContent } from "../../../../base/client/api.ts";
import { t } from "../../../../base/client/texts.ts";
import { showToast } from "../../../../base/client/toast.ts";
import { countRows } from "../../../../base/client/grid/row-ranges.ts";
import { selectedRange, selectedRows } from "../commands/range-changes.ts";
import { readRanges } from "../rows/read-range.ts";
import type { Sheet } from "../sheet.ts";
import { formatTsv } from "./tsv.ts";

/** Larger selections are not copied: no spreadsheet accepts them. */
const MAX_COPIED_CELLS = 2_000_000;

/**
 * Copies the selected cells as text. Returns false when they could not be copied, which is shown.
 * @param clipboard of an event; null writes to the clipboard of the browser
 */
export async function copySelection(
  sheet: Sheet,
  clipboard: DataTransfer | null,
  { isSilent = false }: { isSilent?: boolean } = {},
): Promise<boolean> {
  const range = selectedRange(sheet);
  if (!range) return false;
  const { left, right } = range;
  const ranges = selectedRows(sheet);
  const columns = sheet.shown.slice(left, right + 1);
  const count = countRows(ranges);
  if (count * columns.length > MAX_COPIED_CELLS) {
    showToast(t("table.copy.tooLarge"), { problem: true });
    return false;
  }
  const textOf = (rows: Awaited<ReturnType<typeof readRanges>>): string =>
    formatTsv(rows.map((row) => columns.map((column) => column.text(row))));
  const loaded = ranges.flatMap(({ top, bottom }) =>
    Array.from({ length: bottom - top + 1 }, (_, at) => sheet.rowPages.rowAt(top + at)),
  );
  if (clipboard && loaded.every((row) => row !== undefined)) {
    clipboard.setData("text/plain", textOf(loaded));
    if (count > 1 && !isSilent) showToast(t("table.copy.done", { count }));
    return true;
  }
  // Rows that are not loaded arrive later; browsers that require a synchronous write report an error.
  try {
    const text = textOf(await readRanges(sheet, ranges));
    await navigator.clipboard.writeText(text);
    if (!isSilent) showToast(t("table.copy.done", { count }));
    return true;
  } catch (error) {
    // Without a secure connection there is no clipboard.
    const isRefused = error instanceof DOMException || error instanceof TypeError;
    showToast(isRefused ? t("table.copy.refused") : errorContent(error), { problem: true });
    return false;
  }
}
