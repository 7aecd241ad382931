import type { ColumnListing } from "../../../../base/table-data.ts";
import { api } from "../../../../base/client/api.ts";
import { replaceChildren, h, icon } from "../../../../base/client/dom.ts";
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

function selectInput(
  label: string,
  value: string,
  options: readonly (readonly [value: string, label: string])[],
): { element: HTMLLabelElement; input: HTMLSelectElement } {
  const known = options.some(([each]) => each === value) ? options : [...options, [value, value] as const];
  const input = h(
    "select",
    {},
    ...known.map(([each, text]) => h("option", { value: each, selected: each === value }, text)),
  );
  return { element: h("label", {}, label, input), input };
}

const DATE_FORMATS = ["YYYY-MM-DD", "DD.MM.YYYY", "DD/MM/YYYY", "MM/DD/YYYY", "D MMM YYYY", "MMMM Do, YYYY"];
const TIME_FORMATS = ["h:mma", "HH:mm", "HH:mm:ss"];

function dateFields(base: string, sheet: Sheet, { options, type }: Column): TypeFields {
  const textOf = (name: string, fallback: string): string => {
    const value = options[name];
    return typeof value === "string" && value ? value : fallback;
  };
  const date = selectInput(
    "Date format",
    textOf("dateFormat", "YYYY-MM-DD"),
    DATE_FORMATS.map((each) => [each, each]),
  );
  const time = selectInput(
    "Time format",
    textOf("timeFormat", "h:mma"),
    TIME_FORMATS.map((each) => [each, each]),
  );
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
  const zone = selectInput(
    "Time zone",
    type.zone ?? sheet.data.settings.timezone,
    ["UTC", ...zones.filter((each) => each !== "UTC")].map((each) => [each, each]),
  );
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
  if (![...input.options].some((option) => option.value === value)) input.append(h("option", { value }, value));
  input.value = value;
  return true;
}

function numberFields({ options }: Column): TypeFields {
  const mode = selectInput("Format", typeof options.numMode === "string" ? options.numMode : "", [
    ["", "Plain"],
    ["decimal", "1,000 separator"],
    ["currency", "Currency"],
    ["percent", "Percent"],
    ["scientific", "Scientific"],
  ]);
  const decimals = h("input", {
    type: "number",
    min: 0,
    max: 20,
    value: typeof options.decimals === "number" ? options.decimals : "",
  });
  return {
    elements: [mode.element, h("label", {}, "Decimals", decimals)],
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
      "aria-label": `Colour of ${choice || "the choice"}`,
      value: parseColour(about?.["fillColor"]) ?? "#e8e8e8",
    });
    const name = h("input", { type: "text", value: choice, "aria-label": "Choice", autocomplete: "off" });
    const remove = h(
      "button",
      { type: "button", class: "bare", "aria-label": `Remove ${choice || "the choice"}` },
      icon("close"),
    );
    const item = h("li", {}, colour, name, remove);
    remove.addEventListener("click", () => item.remove());
    return item;
  };
  replaceChildren(list, ...choices.map(createItem));
  const add = h("button", { type: "button", class: "plain small" }, icon("add"), "Choice");
  add.addEventListener("click", () => {
    const item = createItem("");
    list.append(item);
    item.querySelector<HTMLInputElement>("input[type=text]")?.focus();
  });
  const addInUseButton = h("button", { type: "button", class: "plain small" }, "Add values in use");
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
    elements: [h("fieldset", {}, h("legend", {}, "Choices"), list, h("div", { class: "bar" }, add, addInUseButton))],
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
  const tables = sheet.data.tables.map(({ id }) => [id, id] as const);
  const target = selectInput("Table", column.type.target ?? tables[0]?.[0] ?? "", tables);
  const shows = selectInput("Shows", "", [["", "Row id"]]);
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
      h("option", { value: "" }, "Row id"),
      ...targetColumns.map((listing) =>
        h("option", { value: listing.fields.colRef, selected: listing.fields.colRef === now }, nameOf(listing)),
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
