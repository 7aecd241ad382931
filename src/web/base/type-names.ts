/** What pages call the types of columns, by the part of the type before the colon. */
export const TYPE_NAMES: Readonly<Record<string, string>> = {
  Text: "Text",
  Numeric: "Number",
  Int: "Whole number",
  Bool: "Yes or no",
  Date: "Date",
  DateTime: "Date and time",
  Choice: "Choice",
  ChoiceList: "Several choices",
  Ref: "Reference",
  RefList: "Several references",
  Attachments: "Files",
  Any: "Anything",
};

/** The name of a type such as `Ref:People`. */
export const typeName = (type: string): string => TYPE_NAMES[type.replace(/:.*/s, "")] ?? type;
