/** One condition in the filter builder: column, operator, values and a menu. */
import { type Child, h, icon } from "../../../../../base/client/dom.ts";
import { attachMenu, type MenuItem } from "../../../../../base/client/menu.ts";
import { t } from "../../../../../base/client/texts.ts";
import type { Sheet } from "../../sheet.ts";
import {
  type Condition,
  type CustomCondition,
  isComplete,
  type Operator,
  OPERATORS,
  type Part,
  valueCount,
} from "../filter-model.ts";
import { operatorText } from "../operator-texts.ts";
import { fieldSelect } from "./field-select.ts";
import { pinItems } from "../view-saving.ts";
import type { PartPath } from "./part-paths.ts";
import { valueInputs } from "./value-inputs.ts";

export interface RowContext {
  readonly sheet: Sheet;
  /** Replaces a part, shows the conditions again, and moves the focus. */
  readonly replace: (path: PartPath, parts: readonly Part[], focus?: PartPath) => void;
  /** Replaces a part that shows its new values already. */
  readonly setQuietly: (path: PartPath, part: Part) => void;
  /** Whether a part cannot become a group. */
  readonly isDeepest: (path: PartPath) => boolean;
}

export interface ConditionRow {
  readonly element: HTMLElement;
  /** Shows labels that have been loaded. */
  readonly refresh: () => void;
}

export function conditionRow(
  part: Condition | CustomCondition,
  path: PartPath,
  context: RowContext & { readonly prefix: HTMLElement },
): ConditionRow {
  const row = (isDone: boolean, children: readonly Child[]): HTMLElement =>
    h(
      "div",
      { class: isDone ? "condition" : "condition incomplete", role: "group", "data-path": path.join(".") },
      context.prefix,
      ...children,
    );
  if (part.type === "custom") {
    const text = h("span", { class: "custom-condition" }, t("table.condition.custom"), " ", codeElement(part));
    return { element: row(true, [text, moreButton(part, path, context)]), refresh: () => {} };
  }
  return standardRow(part, path, context, row);
}

const codeElement = ({ filter }: CustomCondition): HTMLElement =>
  h("code", { translate: "no" }, JSON.stringify(filter));

function standardRow(
  condition: Condition,
  path: PartPath,
  context: RowContext,
  row: (isDone: boolean, children: readonly Child[]) => HTMLElement,
): ConditionRow {
  const { sheet, replace, setQuietly } = context;
  const { kind, operator, values } = condition;
  const field = sheet.fields.find(condition.path);
  // With the values that have been entered since.
  let latest = condition;
  const column = fieldSelect(sheet, condition.path, (chosen) => {
    const next = sheet.fields.kindOf(chosen) ?? "any";
    const isKept = next === kind && next !== "reference" && next !== "choice";
    const [first = "isEmpty"] = OPERATORS[next];
    const change = isKept
      ? {}
      : { kind: next, operator: OPERATORS[next].includes(operator) ? operator : first, values: [] };
    replace(path, [{ ...latest, path: chosen, ...change }], path);
  });
  const operators = OPERATORS[kind].includes(operator) ? OPERATORS[kind] : [operator, ...OPERATORS[kind]];
  const select = h(
    "select",
    { class: "operator", "aria-label": t("table.filter.operator") },
    ...operators.map((each) => h("option", { value: each, selected: each === operator }, operatorText(each, kind))),
  );
  select.addEventListener("change", () => {
    const next = select.value as Operator;
    const isSame = valueCount(next) === valueCount(operator) && (next === "within") === (operator === "within");
    replace(path, [{ ...latest, operator: next, values: isSame ? latest.values : [] }], path);
  });
  // Columns of other tables arrive late.
  if (!field) return { element: row(true, [column, select, moreButton(condition, path, context)]), refresh: () => {} };
  const { controls, below, refresh } = valueInputs({
    sheet,
    field,
    operator,
    values,
    changed: (next) => {
      const changed = { ...condition, values: next };
      element.classList.toggle("incomplete", !isComplete(changed));
      latest = changed;
      setQuietly(path, changed);
    },
  });
  const more = moreButton(() => latest, path, context);
  const element = row(isComplete(condition), [
    column,
    select,
    h("span", { class: "values" }, ...controls),
    more,
    below,
  ]);
  return { element, refresh };
}

function moreButton(part: Part | (() => Part), path: PartPath, { sheet, replace, isDeepest }: RowContext): HTMLElement {
  const button = h(
    "button",
    { type: "button", class: "bare more", "aria-label": t("table.filter.more") },
    icon("ellipsis"),
  );
  const items = (): MenuItem[] => {
    const now = typeof part === "function" ? part() : part;
    const next = [...path.slice(0, -1), (path.at(-1) ?? 0) + 1];
    return [
      { label: t("table.filter.duplicate"), icon: "copy", run: () => replace(path, [now, now], next) },
      ...(isDeepest(path)
        ? []
        : [
            {
              label: t("table.filter.toGroup"),
              icon: "list-filter" as const,
              run: () => replace(path, [{ type: "group", match: "any", parts: [now] } as const], [...path, 0]),
            },
          ]),
      ...pinItems(sheet.view.saving, now),
      { label: t("table.filter.delete"), icon: "trash-2", isDangerous: true, run: () => replace(path, []) },
    ];
  };
  attachMenu(button, items);
  return button;
}
