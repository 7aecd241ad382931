/** Fields for how the cells of a column look: formats of numbers and dates with a sample, alignment, kinds of controls. */
import { cellFormatter } from "../../../../../values/cell-formatter.ts";
import { columnType } from "../../../../../values/column-type.ts";
import { h } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { DocumentSettings } from "../../../../base/table-data.ts";
import type { Column } from "./columns.ts";
import { dataOption, dataSelect, selectInput } from "./select-inputs.ts";
import type { TypeFields } from "./type-fields.ts";

const DATE_FORMATS = ["YYYY-MM-DD", "DD.MM.YYYY", "DD/MM/YYYY", "MM/DD/YYYY", "D MMM YYYY", "MMMM Do, YYYY"];
const TIME_FORMATS = ["h:mma", "HH:mm", "HH:mm:ss"];

/** 31 December 2026, 14:05 UTC, in seconds since 1970. */
const SAMPLE_TIME_S = 1_798_725_900;
const SAMPLE_NUMBERS = { Numeric: [1234.5, -0.75], Int: [1234, -12] } as const;

interface Sample {
  readonly element: HTMLElement;
  show(): void;
}

/** A line with values as they will look. */
function sampleLine(text: () => string): Sample {
  const value = h("span", { class: "value", translate: "no" });
  const show = () => (value.textContent = text());
  show();
  return { element: h("p", { class: "hint sample" }, ...t.rich("table.type.sample", { value })), show };
}

/** Updates the sample when one of the fields changes. */
function followed(sample: Sample, elements: readonly HTMLElement[]): readonly HTMLElement[] {
  for (const element of elements) element.addEventListener("input", () => sample.show());
  return [...elements, sample.element];
}

export function dateFields(base: string, { options, type }: Column, settings: DocumentSettings): TypeFields {
  const textOf = (name: string, fallback: string): string => {
    const value = options[name];
    return typeof value === "string" && value ? value : fallback;
  };
  const date = dataSelect(t("table.type.dateFormat"), textOf("dateFormat", "YYYY-MM-DD"), DATE_FORMATS);
  const time = dataSelect(t("table.type.timeFormat"), textOf("timeFormat", "h:mma"), TIME_FORMATS);
  const zones = base === "Date" ? [] : Intl.supportedValuesOf("timeZone").filter((each) => each !== "UTC");
  const zone = dataSelect(t("table.type.timeZone"), type.zone ?? settings.timezone, ["UTC", ...zones]);
  const typeArgument = () => (base === "Date" ? "" : `:${zone.input.value}`);
  const formats = () => ({
    dateFormat: date.input.value,
    ...(base === "DateTime" && { timeFormat: time.input.value }),
  });
  const sample = sampleLine(() =>
    cellFormatter(columnType(base + typeArgument()), { ...settings, widgetOptions: { ...options, ...formats() } })(
      base === "Date" ? SAMPLE_TIME_S - (SAMPLE_TIME_S % 86_400) : SAMPLE_TIME_S,
    ),
  );
  const suggest = ({ dateFormat, timeFormat }: Readonly<Record<string, unknown>>): boolean => {
    const isOther = [
      selectOption(date.input, dateFormat),
      base === "DateTime" && selectOption(time.input, timeFormat),
    ].includes(true);
    sample.show();
    return isOther;
  };
  const elements = base === "Date" ? [date.element] : [date.element, time.element, zone.element];
  return { elements: followed(sample, elements), typeArgument, options: formats, suggest };
}

/** Selects a value, and adds it to the options if missing. Returns false when it was already selected. */
function selectOption(input: HTMLSelectElement, value: unknown): boolean {
  if (typeof value !== "string" || value === "" || value === input.value) return false;
  if (![...input.options].some((option) => option.value === value)) input.append(dataOption(value, value));
  input.value = value;
  return true;
}

export function numberFields(base: "Numeric" | "Int", { options }: Column, settings: DocumentSettings): TypeFields {
  const mode = selectInput(t("table.type.numberFormat"), typeof options.numMode === "string" ? options.numMode : "", {
    "": t("table.type.plain"),
    decimal: t("table.type.decimal"),
    currency: t("table.type.currency"),
    percent: t("table.type.percent"),
    scientific: t("table.type.scientific"),
  });
  const currency = currencySelect(typeof options.currency === "string" ? options.currency : "");
  const decimals = h("input", {
    type: "number",
    min: 0,
    max: 20,
    value: typeof options.decimals === "number" ? options.decimals : "",
  });
  const parentheses = h("input", { type: "checkbox", checked: options.numSign === "parens" });
  const formats = () => ({
    numMode: mode.input.value || undefined,
    currency: (mode.input.value === "currency" && currency.input.value) || undefined,
    numSign: parentheses.checked ? "parens" : undefined,
    decimals: decimals.value === "" ? undefined : Number(decimals.value),
    // Formats of imported workbooks also have a maximum, which would override the minimum selected here.
    ...(options["maxDecimals"] !== undefined &&
      decimals.value !== String(options.decimals) && {
        maxDecimals: decimals.value === "" ? undefined : Number(decimals.value),
      }),
  });
  const sample = sampleLine(() => {
    currency.element.hidden = mode.input.value !== "currency";
    if (!currency.element.hidden) currency.fill();
    const format = cellFormatter(columnType(base), { ...settings, widgetOptions: { ...options, ...formats() } });
    return SAMPLE_NUMBERS[base].map((value) => format(value).trim()).join(" · ");
  });
  const elements = [
    mode.element,
    currency.element,
    h("label", {}, t("table.type.decimals"), decimals),
    h("label", {}, parentheses, t("table.type.parentheses")),
  ];
  return { elements: followed(sample, elements), typeArgument: () => "", options: formats };
}

/** A select of currencies by their code and name; empty for that of the document. `fill` adds all of them, when they are first shown. */
function currencySelect(now: string) {
  const { element, input } = selectInput(t("table.type.currencyCode"), now, { "": t("table.type.currency.document") });
  const fill = () => {
    if (input.options.length > 2) return;
    const names = new Intl.DisplayNames(t.locale, { type: "currency" });
    for (const code of Intl.supportedValuesOf("currency"))
      if (code !== now) input.append(dataOption(code, nameOfCurrency(names, code)));
  };
  return { element, input, fill };
}

function nameOfCurrency(names: Intl.DisplayNames, code: string): string {
  try {
    const name = names.of(code);
    return name === undefined || name === code ? code : `${code} – ${name}`;
  } catch {
    // A document can contain any text.
    return code;
  }
}

export function textFields({ options }: Column): TypeFields {
  const now = options["widget"] === "TextBox" || typeof options["widget"] !== "string" ? "" : options["widget"];
  const widget = selectInput(t("table.type.display"), now, {
    "": t("table.type.display.text"),
    Markdown: t("table.type.display.markdown"),
    HyperLink: t("table.type.display.link"),
  });
  return {
    elements: [widget.element],
    typeArgument: () => "",
    options: () => (widget.input.value === now ? {} : { widget: widget.input.value || undefined }),
  };
}

export function boolFields({ options }: Column): TypeFields {
  const now = options["widget"] === "CheckBox" || typeof options["widget"] !== "string" ? "" : options["widget"];
  const widget = selectInput(t("table.type.display"), now, {
    "": t("table.type.display.checkbox"),
    Switch: t("table.type.display.switch"),
  });
  return {
    elements: [widget.element],
    typeArgument: () => "",
    options: () => (widget.input.value === now ? {} : { widget: widget.input.value || undefined }),
  };
}

/** Adds a check box for wrapping, which is on by default where rows have several lines. */
export function withWrapping(fields: TypeFields, { options }: Column): TypeFields {
  const wasOn = options["wrap"] !== false;
  const wrap = h("input", { type: "checkbox", checked: wasOn });
  return {
    ...fields,
    elements: [
      ...fields.elements,
      h("label", {}, wrap, t("table.type.wrap")),
      h("p", { class: "hint" }, t("table.type.wrap.hint")),
    ],
    options: () => ({ ...fields.options(), ...(wrap.checked !== wasOn && { wrap: wrap.checked }) }),
  };
}

/** Adds a field for the alignment of cells. */
export function withAlignment(fields: TypeFields, { options }: Column): TypeFields {
  const now = typeof options["alignment"] === "string" ? options["alignment"] : "";
  const alignment = selectInput(t("table.type.alignment"), now, {
    "": t("table.type.alignment.default"),
    left: t("table.type.alignment.left"),
    center: t("table.type.alignment.center"),
    right: t("table.type.alignment.right"),
  });
  return {
    ...fields,
    elements: [...fields.elements, alignment.element],
    options: () => ({
      ...fields.options(),
      ...(alignment.input.value !== now && { alignment: alignment.input.value || undefined }),
    }),
  };
}
