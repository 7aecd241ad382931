/** The choices of a column: their names, colours and order. */
import { splitRow } from "../../../../../values/csv-row.ts";
import { api } from "../../../../base/client/api.ts";
import { find, h, icon, nameElement, replaceChildren } from "../../../../base/client/dom.ts";
import { openPopover } from "../../../../base/client/popover.ts";
import { t } from "../../../../base/client/texts.ts";
import { type ColourPair, nextPair, PALETTE, paletteEntryOf } from "../../../../base/palette.ts";
import { drawColours } from "../cells/colours.ts";
import { parseColour, readableTextColour } from "../cells/readable-colours.ts";
import type { Sheet } from "../sheet.ts";
import { findDistinctValues } from "../view/builder/distinct-values.ts";
import { moved, orderedList } from "../view/lists/ordered-list.ts";
import { cellValue, type Column, listItems } from "./columns.ts";
import type { TypeFields } from "./type-fields.ts";

interface Choice {
  readonly id: string;
  /** Its name in the document; null for a new one. */
  readonly original: string | null;
  readonly name: HTMLInputElement;
  /** Whether cells follow a changed name. */
  readonly rename: HTMLInputElement;
  readonly content: readonly HTMLElement[];
  /** Null without colours. */
  colours: Partial<ColourPair> | null;
}

/** Choices that are collected when the type changes; more are rarely choices. */
const MAX_COLLECTED = 100;

type Style = Readonly<Record<string, unknown>>;

/** @param base the selected type, which may be about to replace another one */
export function choiceFields(sheet: Sheet, column: Column, base: string): TypeFields {
  const stored = (column.options["choiceOptions"] ?? {}) as Readonly<Record<string, Style | undefined>>;
  const styleOf = (choice: string | null): Style =>
    (choice !== null && Object.hasOwn(stored, choice) ? stored[choice] : undefined) ?? {};
  let choices: readonly Choice[] = [];
  let made = 0;
  const list = orderedList({
    label: t("table.type.choices"),
    move: (from, to) => {
      choices = moved(choices, from, to);
      show();
      notify();
    },
  });
  const notes = h("div", { class: "choice-notes" });
  // As if typed, so that the panel knows of unsaved changes.
  const notify = () => list.element.dispatchEvent(new Event("input", { bubbles: true }));
  const show = () =>
    list.show(
      choices.map(({ id, name, content }) => ({ id, label: name.value || t("table.type.newChoice"), content })),
    );
  const create = (text: string, original: string | null, colours: Choice["colours"]): Choice => {
    const name = h("input", { type: "text", value: text, "aria-label": t("table.type.choice"), autocomplete: "off" });
    const rename = h("input", { type: "checkbox", checked: true });
    const renameLabel = h("label", { class: "rename", hidden: true }, rename, h("span", {}));
    const swatch = h("button", { type: "button", class: "swatch", "aria-haspopup": "dialog" }, sampleText());
    const remove = h("button", { type: "button", class: "bare" }, icon("x"));
    const choice: Choice = { id: `choice-${++made}`, original, name, rename, colours, content: [] };
    const draw = () => {
      drawColours(swatch, choice.colours);
      const values = { choice: name.value || t("table.type.newChoice"), colour: colourName(choice.colours) };
      swatch.setAttribute("aria-label", t("table.type.colour", values));
      remove.setAttribute("aria-label", t("table.type.removeChoice", values));
    };
    const countOnce = original === null ? null : onceCounted(sheet, column, original);
    const offerRename = async () => {
      const isRenamed = () => original !== null && name.value.trim() !== "" && name.value.trim() !== original;
      const count = isRenamed() ? await countOnce?.() : 0;
      renameLabel.hidden = !count || !isRenamed();
      if (count) replaceChildren(find("span", renameLabel), t("table.type.renameCells", { count }));
    };
    name.addEventListener("input", () => {
      draw();
      void offerRename();
    });
    swatch.addEventListener("click", () =>
      openColours(swatch, choice.colours, (next) => {
        choice.colours = next;
        draw();
        notify();
      }),
    );
    remove.addEventListener("click", () => {
      const at = choices.indexOf(choice);
      choices = choices.filter((each) => each !== choice);
      show();
      notify();
      (choices[Math.min(at, choices.length - 1)]?.name ?? add).focus();
      void noteKeptCells();
    });
    const noteKeptCells = async () => {
      const count = await countOnce?.();
      if (!count || original === null) return;
      const text = t.rich("table.type.keptCells", { count, choice: nameElement(original) });
      notes.append(h("p", { class: "hint" }, ...text));
    };
    draw();
    return Object.assign(choice, { content: [swatch, h("div", { class: "choice-name" }, name, renameLabel), remove] });
  };
  const append = (text: string): Choice => {
    const created = create(text, null, nextPair(choices.map(({ colours }) => colours ?? {})));
    choices = [...choices, created];
    return created;
  };
  const add = h("button", { type: "button", class: "plain small" }, icon("plus"), t("table.type.addChoice"));
  add.addEventListener("click", () => {
    const { name } = append("");
    show();
    name.focus();
  });
  const addInUse = h("button", { type: "button", class: "plain small" }, t("table.type.addInUse"));
  const appendTexts = (texts: readonly string[]) => {
    const known = new Set(choices.map(({ name }) => name.value.trim()));
    for (const text of texts) if (!known.has(text)) append(text);
    show();
    addInUse.hidden = true;
    notify();
  };
  const appendInUse = async () => {
    appendTexts(await readDistinctTexts(sheet, column, base));
    add.focus();
  };
  addInUse.addEventListener("click", () => void appendInUse());
  choices = column.choices.map((choice) => create(choice, choice, coloursOf(styleOf(choice))));
  show();
  const collect = async () => {
    const texts = await readDistinctTexts(sheet, column, base);
    if (texts.length > 0 && texts.length <= MAX_COLLECTED) appendTexts(texts);
  };
  // Texts become choices as they are; where there are many, only on request.
  const isCollected = column.type.base === "Text" && choices.length === 0 && !(column.isFormula && !column.isEmpty);
  const ready = isCollected ? collect().catch(() => {}) : undefined;
  const named = () =>
    choices
      .map((choice) => ({ ...choice, text: choice.name.value.trim() }))
      .filter(({ text }, at, all) => text !== "" && all.findIndex((each) => each.text === text) === at);
  return {
    elements: [
      h(
        "fieldset",
        { class: "choices-field" },
        h("legend", {}, t("table.type.choices")),
        list.element,
        notes,
        h("div", { class: "bar" }, add, addInUse),
      ),
    ],
    ...(ready && { ready: () => ready }),
    typeArgument: () => "",
    options: () => ({
      choices: named().map(({ text }) => text),
      choiceOptions: Object.fromEntries(
        named().flatMap(({ text, original, colours }) => {
          const { fillColor: _fill, textColor: _text, ...others } = styleOf(original);
          const style = {
            ...others,
            ...(colours?.fill !== undefined && { fillColor: colours.fill }),
            ...(colours?.text !== undefined && { textColor: colours.text }),
          };
          return Object.keys(style).length > 0 ? [[text, style]] : [];
        }),
      ),
    }),
    renames: () =>
      Object.fromEntries(
        named().flatMap(({ original, text, rename }) =>
          original !== null && original !== text && rename.checked ? [[original, text]] : [],
        ),
      ),
  };
}

/** The colours of a stored style as they are; null without any. */
function coloursOf({ fillColor, textColor }: Style): Partial<ColourPair> | null {
  const fill = parseColour(fillColor);
  const text = parseColour(textColor);
  if (fill === undefined && text === undefined) return null;
  return { ...(fill !== undefined && { fill }), ...(text !== undefined && { text }) };
}

function colourName(colours: Partial<ColourPair> | null): string {
  if (colours?.fill === undefined) return t("palette.none");
  const found = paletteEntryOf(colours);
  return found ? t(found.name) : colours.fill;
}

const sampleText = (): HTMLElement => h("span", { translate: "no" }, "Aa");

/**
 * Offers the pairs of the palette, no colour, and any other one.
 * @param hasText whether the colour of the text can be chosen on its own
 */
export function openColours(
  button: HTMLElement,
  now: Partial<ColourPair> | null,
  choose: (colours: Partial<ColourPair> | null) => void,
  { hasText = false } = {},
): void {
  const present = now === null ? undefined : paletteEntryOf(now);
  const take = (colours: Partial<ColourPair> | null) => {
    popover.close();
    choose(colours);
  };
  const swatches = PALETTE.map((entry) => {
    const name = t(entry.name);
    const swatch = h(
      "button",
      { type: "button", class: "swatch", "aria-label": name, title: name, "aria-pressed": String(entry === present) },
      entry === present ? icon("check") : sampleText(),
    );
    drawColours(swatch, entry.light);
    swatch.addEventListener("click", () => take(entry.light));
    return swatch;
  });
  const custom = h("input", { type: "color", value: now?.fill ?? PALETTE[0]?.light.fill ?? "" });
  custom.addEventListener("change", () => take({ fill: custom.value, text: readableTextColour(custom.value) }));
  const text = h("input", { type: "color", value: now?.text ?? PALETTE[0]?.light.text ?? "" });
  text.addEventListener("change", () => take({ ...now, text: text.value }));
  const none = h("button", { type: "button", class: "plain small", onclick: () => take(null) }, t("palette.none"));
  const popover = openPopover(button, {
    attributes: { class: "popover colours", role: "dialog", "aria-label": t("palette.label") },
    content: [
      h("div", { class: "swatches" }, ...swatches),
      h(
        "div",
        { class: "bar" },
        none,
        h("label", {}, t("palette.custom"), custom),
        hasText && h("label", {}, t("palette.text"), text),
      ),
    ],
  });
  (swatches.find(({ ariaPressed }) => ariaPressed === "true") ?? swatches[0])?.focus();
}

/** Returns a function that counts the cells with a choice, at most once; 0 if they cannot be counted. */
function onceCounted(sheet: Sheet, column: Column, choice: string): () => Promise<number> {
  let counted: Promise<number> | undefined;
  return () => (counted ??= countCells(sheet, column, choice).catch(() => 0));
}

async function countCells(sheet: Sheet, column: Column, choice: string): Promise<number> {
  const operator = column.type.base === "ChoiceList" ? "has" : "eq";
  const body = { measures: { cells: "count" }, filter: { [column.id]: { [operator]: choice } } };
  const { groups } = await api<{ groups: { cells: number }[] }>(`${sheet.path}/aggregate`, { method: "POST", body });
  return groups[0]?.cells ?? 0;
}

/** Returns the distinct texts of the cells, as candidates for choices; for lists their items. */
async function readDistinctTexts(sheet: Sheet, column: Column, base: string): Promise<string[]> {
  const field = sheet.fields.find(column.id);
  const found = field ? (await findDistinctValues(sheet, field)).values.map(({ value }) => value) : [];
  const inLists = [...sheet.rowPages.loaded()].flatMap((row) => listItems(cellValue(row, column.id)));
  const texts = found.filter((value) => typeof value === "string");
  const items = base === "ChoiceList" ? texts.flatMap((text) => splitRow(text).map((item) => item.trim())) : texts;
  const all = [...items, ...inLists.filter((item) => typeof item === "string")];
  return [...new Set(all.filter((text) => text.trim() !== ""))];
}
