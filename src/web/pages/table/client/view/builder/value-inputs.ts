/** The fields of a condition's values, by operator and by what the column holds. */
import { type Child, h } from "../../../../../base/client/dom.ts";
import { t } from "../../../../../base/client/texts.ts";
import { isInvalidValue } from "../../columns/columns.ts";
import type { Sheet } from "../../sheet.ts";
import type { FilterField } from "../filter-fields.ts";
import { type Operator, valueCount } from "../filter-model.ts";
import { spanText } from "../operator-texts.ts";
import { SPANS } from "../span-names.ts";
import { valueList } from "./value-list.ts";

export interface ValueInputsOptions {
  readonly sheet: Sheet;
  readonly field: FilterField;
  readonly operator: Operator;
  readonly values: readonly unknown[];
  readonly changed: (values: readonly unknown[]) => void;
}

export interface ValueInputs {
  /** Beside the operator. */
  readonly controls: readonly Child[];
  /** Below the condition. */
  readonly below: HTMLElement | null;
  readonly refresh: () => void;
}

const NOTHING = (): void => {};

export function valueInputs(options: ValueInputsOptions): ValueInputs {
  const { operator, values, changed } = options;
  const count = valueCount(operator);
  if (count === "none") return { controls: [], below: null, refresh: NOTHING };
  if (count === "many") {
    const { button, list, refresh } = valueList(options);
    return { controls: [button], below: list, refresh };
  }
  if (count === "two") return { controls: rangeInputs(options), below: null, refresh: NOTHING };
  const change: Change = (value) => changed([value]);
  const control =
    operator === "within"
      ? spanSelect(values[0], change)
      : oneInput(options, values[0], t("table.filter.value"), change);
  return { controls: [control], below: null, refresh: NOTHING };
}

function rangeInputs(options: ValueInputsOptions): Child[] {
  const { values, changed } = options;
  let [from = "", to = ""] = values;
  const first = oneInput(options, from, t("table.filter.from"), (value) => {
    from = value;
    changed([from, to]);
  });
  const last = oneInput(options, to, t("table.filter.to"), (value) => {
    to = value;
    changed([from, to]);
  });
  return [first, h("span", { class: "quiet" }, t("table.filter.and")), last];
}

function spanSelect(value: unknown, changed: (value: unknown) => void): HTMLElement {
  const current = typeof value === "string" ? value : "";
  const spans = current === "" || SPANS.includes(current) ? SPANS : [current, ...SPANS];
  const select = h(
    "select",
    { "aria-label": t("table.filter.value"), onchange: () => changed(select.value) },
    current === "" && h("option", { value: "", selected: true }, t("table.filter.choose")),
    ...spans.map((span) => h("option", { value: span, selected: span === current }, spanText(span) ?? span)),
  );
  return select;
}

const ISO_DAY = /^\d{4}-\d{2}-\d{2}$/;

type Change = (value: unknown) => void;

function oneInput(options: ValueInputsOptions, value: unknown, label: string, changed: Change): HTMLElement {
  const { field, operator } = options;
  if (field.kind === "number") return numberInput(options, value, label, changed);
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  // Other dates, such as `today` or times, are texts of the API.
  const isDay = field.kind === "date" && (text === "" || ISO_DAY.test(text));
  const input = h("input", {
    type: isDay ? "date" : "text",
    value: text,
    "aria-label": label,
    autocomplete: "off",
    spellcheck: "false",
    translate: "no",
  });
  input.addEventListener("input", () => {
    const isNumeric = field.kind === "any" && operator.startsWith("is") && /^-?\d+(\.\d+)?$/.test(input.value);
    changed(isNumeric ? Number(input.value) : input.value);
  });
  return input;
}

/** Numbers are read and shown in the document's format. */
function numberInput(
  { sheet, field }: ValueInputsOptions,
  value: unknown,
  label: string,
  changed: Change,
): HTMLElement {
  const { settings } = sheet.data;
  const { column } = field;
  const format = new Intl.NumberFormat(settings.locale, { maximumFractionDigits: 15, useGrouping: false });
  const text = typeof value === "number" ? format.format(value) : typeof value === "string" ? value : "";
  const input = h("input", {
    type: "text",
    inputmode: "decimal",
    value: text,
    "aria-label": label,
    autocomplete: "off",
    translate: "no",
  });
  input.addEventListener("input", () => {
    const entered = input.value.trim();
    const number =
      entered === ""
        ? ""
        : column.type.convert(column.type.parse(entered, { ...settings, widgetOptions: column.options }));
    const isWrong = entered !== "" && (number === null || isInvalidValue(column, number));
    input.toggleAttribute("aria-invalid", isWrong);
    if (isWrong) input.setAttribute("aria-invalid", "true");
    changed(isWrong ? "" : number);
  });
  return input;
}
