import { h, newId } from "./dom.ts";

export interface RadioChoice<Value extends string> {
  /** The inputs with their labels. */
  readonly elements: readonly HTMLElement[];
  value(): Value;
}

/** Radio buttons: the user chooses one of `labels`. */
export function radioChoice<Value extends string>(
  labels: ReadonlyMap<Value, string>,
  { value, onChange }: { value: Value; onChange: (value: Value) => void },
): RadioChoice<Value> {
  const name = newId("choice");
  let chosen = value;
  const elements = [...labels].map(([each, label]) => {
    const input = h("input", { type: "radio", name, value: each, checked: each === value });
    input.addEventListener("change", () => onChange((chosen = each)));
    return h("label", { class: "choice" }, input, label);
  });
  return { elements, value: () => chosen };
}
