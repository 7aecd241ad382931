import { t } from "../../../../base/client/texts.ts";
import type { Sheet } from "../sheet.ts";

/** Why rows have no position of their own in this view; undefined if they have. */
export function positionReason({ view, grouping }: Sheet): string | undefined {
  if (view.sort.length > 0) return t("table.row.notWhileSorted");
  return grouping.geometry === null ? undefined : t("table.row.notWhileGrouped");
}
