/** Labels of column types, by the part of the type before the colon. */
export const TYPE_NAMES: Readonly<Record<string, string>> = {
  Text: "Text",
  Numeric: "Number",
  Int: "Integer",
  Bool: "Checkbox",
  Date: "Date",
  DateTime: "Date and time",
  Choice: "Choice",
  ChoiceList: "Choice list",
  Ref: "Reference",
  RefList: "Reference list",
  Attachments: "Attachments",
  Any: "Any",
};

/** Returns the label of a type such as `Ref:People`. */
export const typeName = (type: string): string => TYPE_NAMES[type.replace(/:.*/s, "")] ?? type;
