/** The words of sort directions, by what a column holds. */
import { t } from "../../../../base/client/texts.ts";
import type { LabelKey } from "../../../../texts/texts.ts";
import type { FieldKind } from "./filter-model.ts";

const TEXTS: Partial<Readonly<Record<FieldKind, readonly [ascending: LabelKey, descending: LabelKey]>>> = {
  number: ["table.sort.numbers", "table.sort.numbersDown"],
  date: ["table.sort.dates", "table.sort.datesDown"],
  checkbox: ["table.sort.checks", "table.sort.checksDown"],
};

export function directionText(kind: FieldKind, isDescending: boolean): string {
  const [ascending, descending] = TEXTS[kind] ?? ["table.sort.texts", "table.sort.textsDown"];
  return t(isDescending ? descending : ascending);
}
