import type { ColumnListing } from "../../../../base/table-data.ts";
import { api } from "../../../../base/client/api.ts";
import { replaceChildren, h, icon } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { parseColour } from "../cells/colours.ts";
import { type Column, listItems, displayNames } from "./columns.ts";
import { findDistinctValues } from "../filter-dialog.ts";
import type { Sheet } from "../sheet.ts";

/** Fields for the options of a column type. */
export interface TypeFields {
  readonly elements: readonly HTMLElement[];
  /** `:People` after `Ref`; empty without one. */
  typeArgument(): string;
  /** Options to set; undefined removes one. */
  options(): Record<string, unknown>;
  /** Applies formats detected in the cells. Returns false when that changes nothing. */
  suggest?(formats: Readonly<Record<string, unknown>>): boolean;
  /** Resolves when the available values are loaded. */
  readonly ready?: Promise<void>;
  /** For references: the display column in the referenced table, by row id and column id; null shows ids. */
  shows?(): { ref: number; id: string } | null;
}

const NO_FIELDS: TypeFields = { elements: [], typeArgument: () => "", options: () => ({}) };

/** Creates the fields for a type, with the column's current options. */
export function typeFields(base: string, sheet: Sheet, column: Column): TypeFields {
  switch (base) {
    case "Choice":
    case "ChoiceList":
      return choiceFields(sheet, column);
    case "Ref":
    case "RefList":
      return referenceFields(sheet, column);
    case "Numeric":
    case "Int":
      return numberFields(column);
    case "Date":
    case "DateTime":
      return dateFields(base, sheet, column);
    default:
      return NO_FIELDS;
  }
}

interface SelectInput {
  readonly element: HTMLLabelElement;
  readonly input: HTMLSelectElement;
}

/** A select of labels by value. Another current value is added, as data. */
function selectInput(label: string, value: string, options: Readonly<Record<string, string>>): SelectInput {
  const input = h(
    "select",
    {},
    ...Object.entries(options).map(([each, text]) => h("option", { value: each, selected: each === value }, text)),
  );
  if (!Object.hasOwn(options, value)) input.append(dataOption(value, { selected: true }));
  return { element: h("label", {}, label, input), input };
}

/** A select of data, such as the names of tables. */
function dataSelect(label: string, value: string, options: readonly string[]): SelectInput {
  const known = options.includes(value) ? options : [...options, value];
  const input = h("select", {}, ...known.map((each) => dataOption(each, { selected: each === value })));
  return { element: h("label", {}, label, input), input };
}

const dataOption = (value: string, { selected = false } = {}): HTMLOptionElement =>
  h("option", { value, selected, translate: "no" }, value);

const DATE_FORMATS = ["YYYY-MM-DD", "DD.MM.YYYY", "DD/MM/YYYY", "MM/DD/YYYY", "D MMM YYYY", "MMMM Do, YYYY"];
const TIME_FORMATS = ["h:mma", "HH:mm", "HH:mm:ss"];

function dateFields(base: string, sheet: Sheet, { options, type }: Column): TypeFields {
  const textOf = (name: string, fallback: string): string => {
    const value = options[name];
    return typeof value === "string" && value ? value : fallback;
  };
  const date = dataSelect(t("table.type.dateFormat"), textOf("dateFormat", "YYYY-MM-DD"), DATE_FORMATS);
  const time = dataSelect(t("table.type.timeFormat"), textOf("timeFormat", "h:mma"), TIME_FORMATS);
  const suggest = ({ dateFormat, timeFormat }: Readonly<Record<string, unknown>>): boolean =>
    [selectOption(date.input, dateFormat), base === "DateTime" && selectOption(time.input, timeFormat)].includes(true);
  if (base === "Date") {
    return {
      elements: [date.element],
      typeArgument: () => "",
      options: () => ({ dateFormat: date.input.value }),
      suggest,
    };
  }
  const zones = Intl.supportedValuesOf("timeZone");
  const zone = dataSelect(t("table.type.timeZone"), type.zone ?? sheet.data.settings.timezone, [
    "UTC",
    ...zones.filter((each) => each !== "UTC"),
  ]);
  return {
    elements: [date.element, time.element, zone.element],
    typeArgument: () => `:${zone.input.value}`,
    options: () => ({ dateFormat: date.input.value, timeFormat: time.input.value }),
    suggest,
  };
}

/** Selects a value, and adds it to the options if missing. Returns false when it was already selected. */
function selectOption(input: HTMLSelectElement, value: unknown): boolean {
  if (typeof value !== "string" || value === "" || value === input.value) return false;
  if (![...input.options].some((option) => option.value === value)) input.append(dataOption(value));
  input.value = value;
  return true;
}

function numberFields({ options }: Column): TypeFields {
  const mode = selectInput(t("table.type.numberFormat"), typeof options.numMode === "string" ? options.numMode : "", {
    "": t("table.type.plain"),
    decimal: t("table.type.decimal"),
    currency: t("table.type.currency"),
    percent: t("table.type.percent"),
    scientific: t("table.type.scientific"),
  });
  const decimals = h("input", {
    type: "number",
    min: 0,
    max: 20,
    value: typeof options.decimals === "number" ? options.decimals : "",
  });
  return {
    elements: [mode.element, h("label", {}, t("table.type.decimals"), decimals)],
    typeArgument: () => "",
    options: () => ({
      numMode: mode.input.value || undefined,
      decimals: decimals.value === "" ? undefined : Number(decimals.value),
      // Formats of imported workbooks also have a maximum, which would override the minimum selected here.
      ...(options["maxDecimals"] !== undefined &&
        decimals.value !== String(options.decimals) && {
          maxDecimals: decimals.value === "" ? undefined : Number(decimals.value),
        }),
    }),
  };
}

/** Returns the distinct texts of the cells, as candidates for choices. */
async function readDistinctTexts(sheet: Sheet, column: Column): Promise<string[]> {
  const found = await findDistinctValues(sheet, column);
  const texts = found.flatMap(({ value }) => (Array.isArray(value) ? listItems(value) : [value]));
  return [...new Set(texts.filter((text) => typeof text === "string" && text.trim() !== "").map(String))];
}

/** Keeps other options of a choice, such as its text colour. */
function choiceFields(sheet: Sheet, column: Column): TypeFields {
  const { choices, options } = column;
  const existingOptions = (options["choiceOptions"] ?? {}) as Record<string, Record<string, unknown> | undefined>;
  const list = h("ul", { class: "choice-list" });
  const createItem = (choice: string): HTMLElement => {
    const about = Object.hasOwn(existingOptions, choice) ? existingOptions[choice] : undefined;
    const colour = h("input", {
      type: "color",
      "aria-label": choice ? t("table.type.colour", { choice }) : t("table.type.colour.new"),
      value: parseColour(about?.["fillColor"]) ?? "#e8e8e8",
    });
    const name = h("input", { type: "text", value: choice, "aria-label": t("table.type.choice"), autocomplete: "off" });
    const remove = h(
      "button",
      {
        type: "button",
        class: "bare",
        "aria-label": choice ? t("table.type.removeChoice", { choice }) : t("table.type.removeChoice.new"),
      },
      icon("close"),
    );
    const item = h("li", {}, colour, name, remove);
    remove.addEventListener("click", () => item.remove());
    return item;
  };
  replaceChildren(list, ...choices.map(createItem));
  const add = h("button", { type: "button", class: "plain small" }, icon("add"), t("table.type.addChoice"));
  add.addEventListener("click", () => {
    const item = createItem("");
    list.append(item);
    item.querySelector<HTMLInputElement>("input[type=text]")?.focus();
  });
  const addInUseButton = h("button", { type: "button", class: "plain small" }, t("table.type.addInUse"));
  const addInUse = async () => {
    const names = list.querySelectorAll<HTMLInputElement>("input[type=text]");
    const known = new Set([...names].map(({ value }) => value.trim()));
    const values = await readDistinctTexts(sheet, column);
    list.append(...values.filter((value) => !known.has(value)).map(createItem));
    addInUseButton.hidden = true;
    // As if typed, so that leaving warns about unsaved changes.
    list.dispatchEvent(new Event("input", { bubbles: true }));
    add.focus();
  };
  addInUseButton.addEventListener("click", () => void addInUse());
  return {
    elements: [
      h(
        "fieldset",
        {},
        h("legend", {}, t("table.type.choices")),
        list,
        h("div", { class: "bar" }, add, addInUseButton),
      ),
    ],
    typeArgument: () => "",
    options() {
      const lines = [...list.children].map((item) => {
        const [colour, name] = item.querySelectorAll("input");
        return { choice: name?.value.trim() ?? "", colour: colour?.value.toUpperCase() ?? "" };
      });
      const named = lines.filter(
        ({ choice }, at) => choice !== "" && lines.findIndex((each) => each.choice === choice) === at,
      );
      const looks = named.flatMap(({ choice, colour }) => {
        const before = Object.hasOwn(existingOptions, choice) ? existingOptions[choice] : undefined;
        const isUsual = colour === "#E8E8E8" && before?.["fillColor"] === undefined;
        return before || !isUsual ? [[choice, { ...before, ...(!isUsual && { fillColor: colour }) }] as const] : [];
      });
      return { choices: named.map(({ choice }) => choice), choiceOptions: Object.fromEntries(looks) };
    },
  };
}

function referenceFields(sheet: Sheet, column: Column): TypeFields {
  const tables = sheet.data.tables.map(({ id }) => id);
  const target = dataSelect(t("table.type.target"), column.type.target ?? tables[0] ?? "", tables);
  const shows = selectInput(t("table.type.shows"), "", { "": t("table.type.rowId") });
  let targetColumns: readonly ColumnListing[] = [];
  const load = async () => {
    const path = `/api/docs/${sheet.docId}/tables/${encodeURIComponent(target.input.value)}/columns`;
    try {
      const { columns } = await api<{ columns: ColumnListing[] }>(path);
      targetColumns = columns;
    } catch {
      targetColumns = [];
    }
    const isSame = target.input.value === column.type.target;
    // Defaults to the first column of the other table.
    const now = isSame ? column.visibleRef : (targetColumns[0]?.fields.colRef ?? 0);
    const nameOf = displayNames(targetColumns);
    replaceChildren(
      shows.input,
      h("option", { value: "" }, t("table.type.rowId")),
      ...targetColumns.map((listing) =>
        h(
          "option",
          { value: listing.fields.colRef, selected: listing.fields.colRef === now, translate: "no" },
          nameOf(listing),
        ),
      ),
    );
  };
  let ready = load();
  target.input.addEventListener("input", () => {
    ready = load();
  });
  return {
    get ready() {
      return ready;
    },
    elements: [target.element, shows.element],
    typeArgument: () => `:${target.input.value}`,
    options: () => ({}),
    shows() {
      const found = targetColumns.find(({ fields }) => String(fields.colRef) === shows.input.value);
      return found ? { ref: found.fields.colRef, id: found.id } : null;
    },
  };
}
