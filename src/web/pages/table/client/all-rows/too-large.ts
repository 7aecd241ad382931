/** Changes that are larger than what the history keeps: the page says so before they run. */
import { api, ApiError } from "../../../../base/client/api.ts";
import { confirmDialog } from "../../../../base/client/dialog.ts";
import { t } from "../../../../base/client/texts.ts";
import type { Sheet } from "../sheet.ts";

interface ChangeSize {
  readonly cells: number;
  readonly bytes: number;
  readonly keptBytes: number;
}

export interface ChangedCells {
  readonly filter: object;
  /** All columns by default. */
  readonly columns?: readonly string[] | undefined;
}

/**
 * Asks before a change that the history does not keep. Resolves to whether a snapshot is saved first, and to null when
 * the user cancels. Only owners can save and restore snapshots.
 * @throws Failure
 */
export async function askIfTooLarge(sheet: Sheet, { filter, columns }: ChangedCells): Promise<boolean | null> {
  const size = await readSize(sheet, { filter, columns });
  if (size === null || size.bytes <= size.keptBytes) return false;
  const { cells: count } = size;
  const isOwner = sheet.role === "owners";
  const isConfirmed = await confirmDialog({
    title: t("table.large.title"),
    text: isOwner ? t("table.large.text", { count }) : t("table.large.textWithoutSnapshot", { count }),
    action: isOwner ? t("table.large.action") : t("table.large.actionWithoutSnapshot"),
    submit: async () => {},
  });
  return isConfirmed ? isOwner : null;
}

/** A table or column that is gone is reported by the change itself. */
async function readSize(sheet: Sheet, body: ChangedCells): Promise<ChangeSize | null> {
  try {
    return await api<ChangeSize>(`${sheet.path}/records/change/size`, { method: "POST", body });
  } catch (error) {
    if (error instanceof ApiError && error.kind === "refused") return null;
    throw error;
  }
}
