/** When the formula of a data column fills its cells. */
import { h } from "../../../../base/client/dom.ts";
import { radioChoice } from "../../../../base/client/radio-choice.ts";
import { t } from "../../../../base/client/texts.ts";
import type { Sheet } from "../sheet.ts";
import type { Column } from "./columns.ts";

/** As the metadata has it. */
export interface TriggerSettings {
  /** 0: in new rows, and when one of `deps` changes; 1: never; 2: at every change of the row. */
  readonly recalcWhen: number;
  /** Row ids of columns; null for none. */
  readonly deps: readonly number[] | null;
}

export interface TriggerFields {
  readonly element: HTMLElement;
  value(): TriggerSettings;
}

type TriggerChoice = "new" | "columns" | "changes" | "never";

/** Returns the settings of a column; those of other columns without one. */
export function triggerSettings({ data }: Pick<Sheet, "data">, { ref }: Pick<Column, "ref">): TriggerSettings {
  const fields = data.columns.find((listing) => listing.fields.colRef === ref)?.fields;
  const list = fields?.recalcDeps;
  const deps = (Array.isArray(list) ? list : []).filter((item) => typeof item === "number");
  return { recalcWhen: fields?.recalcWhen ?? 0, deps: deps.length > 0 ? deps : null };
}

export function triggerFields(sheet: Sheet, column: Column): TriggerFields {
  const { recalcWhen, deps } = triggerSettings(sheet, column);
  const chosen: TriggerChoice = recalcWhen === 2 ? "changes" : recalcWhen === 1 ? "never" : deps ? "columns" : "new";
  const boxes = sheet.columns.map(({ ref, name: label }) => {
    const box = h("input", { type: "checkbox", checked: deps?.includes(ref) ?? false });
    // Its own column: the formula then changes what the user enters.
    const text = ref === column.ref ? t("table.trigger.itself") : h("span", { translate: "no" }, label);
    return { ref, box, element: h("label", {}, box, text) };
  });
  const shown = new Set(boxes.map(({ ref }) => ref));
  const kept = deps?.filter((ref) => !shown.has(ref)) ?? [];
  const code = (text: string) => h("code", { translate: "no" }, text);
  const hint = t.rich("table.trigger.hint", { value: code("value"), user: code("user") });
  const columns = h(
    "fieldset",
    { class: "trigger-columns" },
    h("legend", {}, t("table.trigger.which")),
    ...boxes.map(({ element }) => element),
  );
  const labels = new Map<TriggerChoice, string>([
    ["new", t("table.trigger.new")],
    ["columns", t("table.trigger.columns")],
    ["changes", t("table.trigger.changes")],
    ["never", t("table.trigger.never")],
  ]);
  const show = (value: TriggerChoice) => (columns.hidden = value !== "columns");
  const choice = radioChoice(labels, { value: chosen, onChange: show });
  show(chosen);
  const element = h(
    "fieldset",
    { class: "triggers" },
    h("legend", {}, t("table.trigger.when")),
    ...choice.elements.toSpliced(2, 0, columns),
    h("p", { class: "hint" }, ...hint),
  );
  return {
    element,
    value() {
      const refs = [...boxes.filter(({ box }) => box.checked).map(({ ref }) => ref), ...kept];
      const when = choice.value();
      if (when === "changes") return { recalcWhen: 2, deps: null };
      if (when === "never") return { recalcWhen: 1, deps: null };
      return { recalcWhen: 0, deps: when === "columns" && refs.length > 0 ? refs : null };
    },
  };
}

export const isSameTrigger = (one: TriggerSettings, other: TriggerSettings): boolean =>
  JSON.stringify([one.recalcWhen, one.deps]) === JSON.stringify([other.recalcWhen, other.deps]);
