/** The options of a question. They are stored in the field, so that other views of the column stay as they are. */
import { jsonObject, withJsonKeys } from "../../base/views/metadata-values.ts";
import { baseType, columnOf, type FormField, type FormState, optionsOf } from "./form-data.ts";

/** What an option has when neither the field nor the column has it. */
export const OPTION_DEFAULTS = {
  formRequired: false,
  formIsHidden: false,
  formAcceptFromUrl: false,
  formTextFormat: "singleline",
  formTextLineCount: 3,
  formTextMaximumLength: null,
  formNumberFormat: "text",
  formToggleFormat: "switch",
  formSelectFormat: "select",
  formOptionsAlignment: "vertical",
  formOptionsSortOrder: "default",
  formOptionsLimit: 30,
} as const;

export type FormOption = keyof typeof OPTION_DEFAULTS;
export type FieldChanges = Readonly<Partial<Record<FormOption | "question" | "description", unknown>>>;

/** Options of how a question looks, by the type of its column. */
const SHOWN_AS: Readonly<Record<string, readonly FormOption[]>> = {
  Text: ["formTextFormat", "formTextLineCount", "formTextMaximumLength"],
  Any: ["formTextFormat", "formTextLineCount", "formTextMaximumLength"],
  Numeric: ["formNumberFormat"],
  Int: ["formNumberFormat"],
  Bool: ["formToggleFormat"],
  Choice: ["formSelectFormat", "formOptionsAlignment", "formOptionsSortOrder"],
  Ref: ["formSelectFormat", "formOptionsAlignment", "formOptionsSortOrder"],
  ChoiceList: ["formOptionsAlignment", "formOptionsSortOrder", "formOptionsLimit"],
  RefList: ["formOptionsAlignment", "formOptionsSortOrder", "formOptionsLimit"],
};

/** Returns the options that matter for a question, as it is now. */
export function shownOptions(form: FormState, field: FormField): FormOption[] {
  const type = baseType(columnOf(form, field)?.type ?? "");
  const options = optionsOf(form, field);
  const isLines = options["formTextFormat"] === "multiline";
  const isRadio = type.endsWith("List") || options["formSelectFormat"] === "radio";
  return (SHOWN_AS[type] ?? []).filter((option) => {
    if (option === "formTextLineCount") return isLines;
    return option !== "formOptionsAlignment" || isRadio;
  });
}

/** Returns the value of an option that holds for a field. */
export const optionValue = (form: FormState, field: FormField, option: FormOption): unknown =>
  optionsOf(form, field)[option] ?? OPTION_DEFAULTS[option];

/** Returns the question, or the label of the column without one. */
export function questionOf(form: FormState, field: FormField): string {
  const { question } = optionsOf(form, field);
  const column = columnOf(form, field);
  return (typeof question === "string" && question) || column?.label || "";
}

/** Returns the explanation below a question. */
export function helpOf(form: FormState, field: FormField): string {
  const { description } = jsonObject(field.widgetOptions);
  return typeof description === "string" && description !== ""
    ? description
    : (columnOf(form, field)?.description ?? "");
}

/**
 * Returns the options of a field after a change. Only what differs from the column is stored: an option that is as it
 * would be without the field is removed.
 */
export function changedOptions(form: FormState, field: FormField, changes: FieldChanges): string {
  const column = columnOf(form, field);
  const inherited: Readonly<Record<string, unknown>> = {
    ...OPTION_DEFAULTS,
    ...column?.options,
    question: column?.options["question"] || column?.label,
    description: column?.description,
  };
  const stored = Object.entries(changes).map(([key, value]) => {
    const isInherited = value === "" || value === inherited[key] || (value === null && inherited[key] === undefined);
    return [key, isInherited ? undefined : value];
  });
  return withJsonKeys(field.widgetOptions, Object.fromEntries(stored) as Record<string, unknown>);
}
