import { dataElement, h } from "../../../base/client/dom.ts";
import { t } from "../../../base/client/texts.ts";
import { createQuestion, type Option } from "../../form/questions.ts";
import { helpOf, questionOf } from "../field-options.ts";
import { baseType, columnOf, type FormField, type FormState, optionsOf } from "../form-data.ts";

/** Draws the control of a question as visitors see it; it cannot be used. */
export function questionPreview(form: FormState, field: FormField, tableTitle: (id: string) => string): HTMLElement[] {
  const column = columnOf(form, field);
  const type = column?.type ?? "Text";
  const target = /^Ref(?:List)?:(.+)$/s.exec(type)?.[1];
  const zone = /^DateTime:(.+)$/s.exec(type)?.[1];
  const { control, description } = createQuestion(String(field.ref), {
    colId: column?.id ?? "",
    question: questionOf(form, field),
    description: helpOf(form, field),
    type: baseType(type),
    options: optionsOf(form, field),
    // Its rows are not read: one represents them.
    refValues: target === undefined ? null : [[0, t("formBuilder.rowsOf", { table: tableTitle(target) })]],
    ...(zone !== undefined && { zone }),
  });
  const help = description === "" ? [] : [h("p", { class: "hint", translate: "no" }, description)];
  switch (control.kind) {
    case "lines":
      return [...help, h("textarea", { rows: control.rows })];
    case "number":
      return [...help, h("input", { type: control.isSpinner ? "number" : "text" })];
    case "toggle":
      return [...help, h("label", {}, h("input", { type: "checkbox" }), control.isSwitch ? t("formBuilder.on") : "")];
    case "date":
      return [...help, h("input", { type: "date" })];
    case "dateTime":
      return [...help, ...zoneHint(control.zone), h("input", { type: "datetime-local" })];
    case "select":
      return [...help, h("select", {}, h("option", {}, t("form.choose")))];
    case "radio":
    case "checkboxes":
      return [...help, optionList(control)];
    case "files":
      return [...help, h("input", { type: "file" })];
    case "text":
    case "suggestions":
      return [...help, h("input", { type: "text" })];
    default:
      return control satisfies never;
  }
}

const zoneHint = (zone: string | null): HTMLElement[] =>
  zone === null ? [] : [h("p", { class: "hint" }, ...t.rich("form.zone", { zone: dataElement(zone) }))];

/** As many as fit: all of them say no more about the form. */
const MAX_OPTIONS = 30;

function optionList(control: {
  readonly kind: "radio" | "checkboxes";
  readonly options: readonly Option[];
  readonly isHorizontal: boolean;
}): HTMLElement {
  const { kind, options, isHorizontal } = control;
  const shown = options.slice(0, MAX_OPTIONS);
  return h(
    "div",
    { class: isHorizontal ? "form-options beside" : "form-options" },
    ...shown.map(({ label }) =>
      h("label", {}, h("input", { type: kind === "radio" ? "radio" : "checkbox" }), dataElement(label)),
    ),
    shown.length === 0 && h("p", { class: "quiet" }, t("formBuilder.noChoices")),
    options.length > shown.length &&
      h("p", { class: "quiet" }, t("formBuilder.moreOptions", { count: options.length - shown.length })),
  );
}
