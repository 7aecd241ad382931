import { ApiError } from "../../../../base/client/api.ts";
import { t } from "../../../../base/client/texts.ts";
import type { UserAction } from "../undo-manager.ts";
import type { RowPageCache } from "./row-page-cache.ts";

/**
 * Replaces the temporary ids of added rows, which are stored before actions on them are sent. Ids of
 * rows that the actions add themselves stay as they are.
 * @throws Failure when a row could not be added
 */
export function withStoredIds(
  actions: readonly UserAction[],
  loaded: readonly Pick<RowPageCache, "idOf">[],
): readonly UserAction[] {
  const storedId = (id: unknown): unknown => {
    if (typeof id !== "number" || id >= 0) return id;
    const stored = loaded.map((rowPages) => rowPages.idOf(id)).find((each) => each >= 0);
    if (stored === undefined) throw new ApiError("refused", t("table.row.notAdded"), {});
    return stored;
  };
  return actions.map(([name, table, rows, ...values]) =>
    name.endsWith("Record") && !name.endsWith("AddRecord")
      ? [name, table, Array.isArray(rows) ? rows.map(storedId) : storedId(rows), ...values]
      : [name, table, rows, ...values],
  );
}
