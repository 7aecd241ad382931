import { replaceChildren, h } from "../../../base/client/dom.ts";
import { t } from "../../../base/client/texts.ts";
import { findParameters, type ParameterValue, parseParameterValue } from "./parameters.ts";

/** A field for each parameter of the query. */
export class ParameterFields {
  readonly #container: HTMLElement;
  #names: readonly string[] = [];
  #fields: HTMLInputElement[] = [];

  constructor(container: HTMLElement) {
    this.#container = container;
  }

  /** Updates the fields for the query; input for parameters at the same position stays. */
  update(sql: string): void {
    const names = findParameters(sql);
    if (names.join("\n") === this.#names.join("\n")) return;
    const inputs = this.inputs;
    this.#names = names;
    this.#fields = names.map((_, at) =>
      h("input", {
        type: "text",
        autocomplete: "off",
        spellcheck: "false",
        translate: "no",
        class: "code",
        value: inputs[at] ?? "",
      }),
    );
    this.#container.hidden = names.length === 0;
    replaceChildren(
      this.#container,
      h(
        "div",
        { class: "row" },
        ...names.map((name, at) => h("label", {}, t("sql.parameter", { name }), this.#fields[at])),
      ),
      h("p", { class: "hint" }, t("sql.parameter.hint")),
    );
  }

  get inputs(): string[] {
    return this.#fields.map(({ value }) => value);
  }

  set inputs(values: readonly string[]) {
    for (const [at, field] of this.#fields.entries()) field.value = values[at] ?? "";
  }

  get values(): ParameterValue[] {
    return this.inputs.map(parseParameterValue);
  }
}
