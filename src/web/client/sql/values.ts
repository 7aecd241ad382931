import { fill, h } from "../base/dom.ts";
import { parametersOf, type Value, valueOf } from "./parameters.ts";

/** A field for each parameter of the query, there as long as the query has it. */
export class ValueFields {
  readonly #place: HTMLElement;
  #names: readonly string[] = [];
  #fields: HTMLInputElement[] = [];

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  /** Follows the query; what was typed for parameters by the same place stays. */
  follow(sql: string): void {
    const names = parametersOf(sql);
    if (names.join("\n") === this.#names.join("\n")) return;
    const typed = this.typed;
    this.#names = names;
    this.#fields = names.map((_, at) =>
      h("input", { type: "text", autocomplete: "off", spellcheck: "false", class: "code", value: typed[at] ?? "" }),
    );
    this.#place.hidden = names.length === 0;
    fill(
      this.#place,
      h("div", { class: "row" }, ...names.map((name, at) => h("label", {}, `Value for ${name}`, this.#fields[at]))),
      h("p", { class: "hint" }, "12.5 is a number, '12.5' in quotes a text, and nothing at all is NULL."),
    );
  }

  get typed(): string[] {
    return this.#fields.map(({ value }) => value);
  }

  set typed(values: readonly string[]) {
    for (const [at, field] of this.#fields.entries()) field.value = values[at] ?? "";
  }

  get values(): Value[] {
    return this.typed.map(valueOf);
  }
}
