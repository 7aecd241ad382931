/** Changes that are larger than what the history keeps: the page says so before they run. */
import { api, ApiError } from "../../../../base/client/api.ts";
import { confirmDialog } from "../../../../base/client/dialog.ts";
import { t } from "../../../../base/client/texts.ts";
import type { TablePageData } from "../../../../base/table-data.ts";

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

/** A table that changes, and what its user may do before. */
export interface LargeTarget extends Pick<TablePageData, "role" | "keepsSnapshots" | "keptBytes"> {
  /** The table's path in the API. */
  readonly path: string;
}

/** Whether a snapshot can precede a change: only owners can save and restore them. */
export const savesSnapshots = ({ role, keepsSnapshots }: LargeTarget): boolean => role === "owners" && keepsSnapshots;

/** @throws Failure */
export async function isTooLarge(target: LargeTarget, cells: ChangedCells): Promise<boolean> {
  const size = await readSize(target, cells);
  return size !== null && size.bytes > size.keptBytes;
}

/**
 * Asks before a change that the history does not keep. Resolves to whether a snapshot is saved first, and to null when
 * the user cancels.
 * @throws Failure
 */
export async function askIfTooLarge(target: LargeTarget, cells: ChangedCells): Promise<boolean | null> {
  const size = await readSize(target, cells);
  return size === null || size.bytes <= size.keptBytes ? false : askBeforeLarge(target, size.cells);
}

/**
 * Asks before a change of so many cells. Resolves to whether a snapshot is saved first, and to null when the user
 * cancels.
 */
export async function askBeforeLarge(target: LargeTarget, count: number): Promise<boolean | null> {
  const saves = savesSnapshots(target);
  const isConfirmed = await confirmDialog({
    title: t("table.large.title"),
    text: saves ? t("table.large.text", { count }) : t("table.large.textWithoutSnapshot", { count }),
    action: saves ? t("table.large.action") : t("table.large.actionWithoutSnapshot"),
    submit: async () => {},
  });
  return isConfirmed ? saves : null;
}

/** A table or column that is gone is reported by the change itself. */
async function readSize({ path }: LargeTarget, body: ChangedCells): Promise<ChangeSize | null> {
  try {
    return await api<ChangeSize>(`${path}/records/change/size`, { method: "POST", body });
  } catch (error) {
    if (error instanceof ApiError && error.kind === "refused") return null;
    throw error;
  }
}
