/** The questions of a form: which control each has, by its type and options. */

/** What a form asks for in one column, as `GET …/forms/{section}` answers it. The builder's script has no other types of the server. */
export interface AskedField {
  readonly colId: string;
  readonly question: string;
  readonly description: string;
  readonly type: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** The rows that a reference can name, with the value that each displays. */
  readonly refValues: readonly (readonly [id: number, shown: unknown])[] | null;
  /** True if a reference can name further rows. */
  readonly hasMore?: true;
  /** The formatted values of `refValues`. */
  readonly texts?: readonly string[];
  /** The time zone of the column's times. */
  readonly zone?: string;
}

/** One of the values that a question offers. */
export interface Option {
  /** What the form sends: a choice, or a row id. */
  readonly value: string;
  readonly label: string;
  /** The value that a row displays without its format, if that differs from the label. */
  readonly plain?: string;
}

export type Control =
  | { readonly kind: "text"; readonly maxLength: number | null }
  | { readonly kind: "lines"; readonly rows: number; readonly maxLength: number | null }
  | { readonly kind: "number"; readonly isSpinner: boolean; readonly isWhole: boolean }
  | { readonly kind: "toggle"; readonly isSwitch: boolean }
  | { readonly kind: "date" }
  | { readonly kind: "dateTime"; readonly zone: string | null }
  | { readonly kind: "select"; readonly options: readonly Option[] }
  | { readonly kind: "radio"; readonly options: readonly Option[]; readonly isHorizontal: boolean }
  | { readonly kind: "checkboxes"; readonly options: readonly Option[]; readonly isHorizontal: boolean }
  | { readonly kind: "suggestions"; readonly options: readonly Option[]; readonly hasMore: boolean }
  | { readonly kind: "files" };

export interface Question {
  /** The id of the field. */
  readonly id: string;
  readonly colId: string;
  readonly type: string;
  readonly text: string;
  readonly description: string;
  readonly control: Control;
  readonly isRequired: boolean;
  /** Sent with its initial value, and not shown. */
  readonly isHidden: boolean;
  /** Whether the address of the form may hold its initial value. */
  readonly isInAddress: boolean;
}

/** References with more rows are a text field with suggestions: a longer list is slow to go through. */
const MAX_SELECT_ROWS = 200;

const DEFAULT_LINES = 3;
const MAX_LINES = 50;
const DEFAULT_LIST_OPTIONS = 30;

/** Returns the question that a field asks. */
export function createQuestion(id: string, field: AskedField): Question {
  const { colId, type, options } = field;
  return {
    id,
    colId,
    type,
    text: field.question || colId,
    description: field.description,
    control: controlOf(field),
    isRequired: options["formRequired"] === true,
    isHidden: options["formIsHidden"] === true,
    isInAddress: options["formAcceptFromUrl"] === true,
  };
}

function controlOf({ type, options, refValues, hasMore, texts, zone }: AskedField): Control {
  switch (type) {
    case "Numeric":
    case "Int":
      return { kind: "number", isSpinner: options["formNumberFormat"] === "spinner", isWhole: type === "Int" };
    case "Bool":
      return { kind: "toggle", isSwitch: options["formToggleFormat"] !== "checkbox" };
    case "Date":
      return { kind: "date" };
    case "DateTime":
      return { kind: "dateTime", zone: zone ?? null };
    case "Choice":
      return chooseOne(choicesOf(options), options);
    case "ChoiceList":
      return chooseSeveral(choicesOf(options), options);
    case "Ref": {
      const rows = rowsOf(refValues ?? [], texts, options);
      return hasMore === true || rows.length > MAX_SELECT_ROWS
        ? { kind: "suggestions", options: rows, hasMore: hasMore === true }
        : chooseOne(rows, options);
    }
    case "RefList":
      return chooseSeveral(rowsOf(refValues ?? [], texts, options), options);
    case "Attachments":
      return { kind: "files" };
    default: {
      const maxLength = positiveInteger(options["formTextMaximumLength"]);
      if (options["formTextFormat"] !== "multiline") return { kind: "text", maxLength };
      const lines = positiveInteger(options["formTextLineCount"]) ?? DEFAULT_LINES;
      return { kind: "lines", rows: Math.min(lines, MAX_LINES), maxLength };
    }
  }
}

type Options = AskedField["options"];

const chooseOne = (options: readonly Option[], settings: Options): Control =>
  settings["formSelectFormat"] === "radio"
    ? { kind: "radio", options, isHorizontal: isHorizontal(settings) }
    : { kind: "select", options };

const chooseSeveral = (options: readonly Option[], settings: Options): Control => ({
  kind: "checkboxes",
  options: options.slice(0, positiveInteger(settings["formOptionsLimit"]) ?? DEFAULT_LIST_OPTIONS),
  isHorizontal: isHorizontal(settings),
});

const isHorizontal = (settings: Options): boolean => settings["formOptionsAlignment"] === "horizontal";

function choicesOf(settings: Options): Option[] {
  const { choices } = settings;
  const texts = Array.isArray(choices) ? choices.filter((each) => typeof each === "string" && each !== "") : [];
  const options = [...new Set(texts as string[])].map((text) => ({ value: text, label: text, sortBy: text }));
  return sorted(options, settings);
}

function rowsOf(rows: Rows, texts: readonly string[] | undefined, settings: Options): Option[] {
  const options = rows.map(([id, value], index) => {
    const plain = valueText(value);
    const label = texts?.[index] ?? plain;
    return { value: String(id), label, sortBy: value, ...(label !== plain && { plain }) };
  });
  return sorted(options, settings);
}

type Rows = readonly (readonly [id: number, shown: unknown])[];

interface SortableOption extends Option {
  readonly sortBy: unknown;
}

function sorted(options: readonly SortableOption[], settings: Options): Option[] {
  const order = settings["formOptionsSortOrder"];
  const inOrder = order === "ascending" || order === "descending" ? options.toSorted(byValue) : options;
  const directed = order === "descending" ? inOrder.toReversed() : inOrder;
  return directed.map((each) => {
    const { sortBy: _, ...option } = each;
    return option;
  });
}

/** Numbers by their value, and before texts. */
function byValue({ sortBy: one, label: oneText }: SortableOption, { sortBy: other, label: otherText }: SortableOption) {
  if (typeof one === "number" && typeof other === "number") return one - other;
  if (typeof one === "number" || typeof other === "number") return typeof one === "number" ? -1 : 1;
  return oneText.localeCompare(otherText);
}

/** Returns the text of a cell by which a reference shows a row. */
function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.slice(1).map(valueText).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

const positiveInteger = (value: unknown): number | null => {
  const number = typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number > 0 ? number : null;
};
