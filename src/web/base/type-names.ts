import type { LabelKey, PlainTexts } from "../texts/texts.ts";

/** Labels of column types, by the part of the type before the colon. */
export const TYPE_NAMES: Readonly<Record<string, LabelKey>> = {
  Text: "base.type.Text",
  Numeric: "base.type.Numeric",
  Int: "base.type.Int",
  Bool: "base.type.Bool",
  Date: "base.type.Date",
  DateTime: "base.type.DateTime",
  Choice: "base.type.Choice",
  ChoiceList: "base.type.ChoiceList",
  Ref: "base.type.Ref",
  RefList: "base.type.RefList",
  Attachments: "base.type.Attachments",
  Any: "base.type.Any",
};

/** Returns the label of a type such as `Ref:People`. */
export function typeName(t: PlainTexts, type: string): string {
  const key = TYPE_NAMES[type.replace(/:.*/s, "")];
  return key === undefined ? type : t(key);
}
