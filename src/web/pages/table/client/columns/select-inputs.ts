/** Selects of the column panel. */
import { h } from "../../../../base/client/dom.ts";

export interface SelectInput {
  readonly element: HTMLLabelElement;
  readonly input: HTMLSelectElement;
}

/** A select of labels by value. Another current value is added, as data. */
export function selectInput(label: string, value: string, options: Readonly<Record<string, string>>): SelectInput {
  const input = h(
    "select",
    {},
    ...Object.entries(options).map(([each, text]) => h("option", { value: each, selected: each === value }, text)),
  );
  if (!Object.hasOwn(options, value)) input.append(dataOption(value, value, { selected: true }));
  return { element: h("label", {}, label, input), input };
}

/** A select of data, such as the names of tables. */
export function dataSelect(
  label: string,
  value: string,
  options: readonly string[],
  nameOf = (option: string): string => option,
): SelectInput {
  const known = options.includes(value) ? options : [...options, value];
  const input = h("select", {}, ...known.map((each) => dataOption(each, nameOf(each), { selected: each === value })));
  return { element: h("label", {}, label, input), input };
}

export const dataOption = (value: string, name: string, { selected = false } = {}): HTMLOptionElement =>
  h("option", { value, selected, translate: "no" }, name);
