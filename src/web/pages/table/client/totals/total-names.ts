import { t } from "../../../../base/client/texts.ts";
import type { Total } from "../../../../base/view-state.ts";
import type { LabelKey } from "../../../../texts/texts.ts";

const NAMES: Readonly<Record<Total, LabelKey>> = {
  sum: "table.totals.sum",
  average: "table.totals.average",
  minimum: "table.totals.minimum",
  maximum: "table.totals.maximum",
  count: "table.totals.count",
  filled: "table.totals.filled",
  unique: "table.totals.unique",
};

export const totalName = (total: Total): string => t(NAMES[total]);
