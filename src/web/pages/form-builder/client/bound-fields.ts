/** Fields that show what is stored, and store what is typed when they are left. */
import { contentChildren, h, newId, type Content } from "../../../base/client/dom.ts";
import { clearFieldErrors, showFieldError } from "../../../base/client/form-field.ts";
import type { Builder } from "./builder.ts";

type Input = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

interface FieldOptions<Value> {
  readonly label: string;
  readonly hint?: Content | undefined;
  /** The stored value. */
  readonly read: () => Value;
  /** Stores a value. Resolves to false when it was not stored: the input then stays. */
  readonly save: (value: Value) => Promise<boolean>;
  /** Returns what is wrong with a value; null for one that can be stored. */
  readonly check?: ((value: Value) => string | null) | undefined;
  /** Whether the field matters now. */
  readonly isShown?: () => boolean;
}

interface InputOptions<Value> extends FieldOptions<Value> {
  readonly format: (value: Value) => string;
  readonly parse: (text: string) => Value;
}

export interface BoundField {
  readonly element: HTMLElement;
  /** Shows what is stored, unless there is other input. */
  sync(): void;
  /** Stores the input. */
  commit(): Promise<void>;
}

/** Fields of one panel. */
export class BoundFields {
  readonly #builder: Builder;
  readonly #fields: BoundField[] = [];

  constructor(builder: Builder) {
    this.#builder = builder;
  }

  get elements(): HTMLElement[] {
    return this.#fields.map(({ element }) => element);
  }

  sync(): void {
    for (const field of this.#fields) field.sync();
  }

  commit(): void {
    for (const field of this.#fields) void field.commit();
  }

  text(options: FieldOptions<string>, attributes: Readonly<Record<string, string | number>> = {}): void {
    const input = h("input", { type: "text", autocomplete: "off", maxlength: 1000, ...attributes });
    this.#add(input, { ...options, format: (value) => value, parse: (text) => text.trim() });
  }

  lines(options: FieldOptions<string>, attributes: Readonly<Record<string, string | number>> = {}): void {
    const input = h("textarea", { rows: 3, maxlength: 20_000, ...attributes });
    this.#add(input, { ...options, format: (value) => value, parse: (text) => text });
  }

  /** A positive whole number, or none. */
  count(options: FieldOptions<number | null>): void {
    const input = h("input", { type: "number", min: 1, max: 1_000_000, step: 1, inputmode: "numeric" });
    const parse = (text: string) => (/^\d{1,7}$/.test(text) && Number(text) > 0 ? Number(text) : null);
    this.#add(input, { ...options, parse, format: (value) => (value === null ? "" : String(value)) });
  }

  /** A time in UTC, as ISO 8601, or none. */
  time(options: FieldOptions<string | null>): void {
    const parse = (text: string) => (Number.isNaN(Date.parse(text)) ? null : new Date(text).toISOString());
    this.#add(h("input", { type: "datetime-local" }), { ...options, parse, format: localTime });
  }

  choice(options: FieldOptions<string>, labels: Readonly<Record<string, string>>): void {
    const input = h("select", {}, ...Object.entries(labels).map(([value, label]) => h("option", { value }, label)));
    this.#add(input, { ...options, format: (value) => value, parse: (text) => text });
  }

  check(options: FieldOptions<boolean>): void {
    const { label, hint, read, save, isShown } = options;
    const input = h("input", { type: "checkbox" });
    const element = h("div", { class: "bound-field" }, h("label", {}, input, label), hintFor(input, hint));
    let pending = 0;
    const sync = () => {
      if (pending === 0) input.checked = read();
      element.hidden = isShown?.() === false;
    };
    const store = async () => {
      pending++;
      await save(input.checked);
      pending--;
      sync();
    };
    input.addEventListener("change", () => void store());
    this.#fields.push({ element, sync, commit: async () => {} });
    sync();
  }

  #add<Value>(input: Input, options: InputOptions<Value>): void {
    const { label, hint, read, save, check, isShown, format, parse } = options;
    input.name = newId("field");
    let isDirty = false;
    const setDirty = (dirty: boolean) => {
      isDirty = dirty;
      this.#builder.setUnsaved(input, dirty);
    };
    const element = h("div", { class: "bound-field" }, h("label", {}, label, input), hintFor(input, hint));
    const describedBy = input.getAttribute("aria-describedby");
    const sync = () => {
      if (!isDirty) input.value = format(read());
      element.hidden = isShown?.() === false;
    };
    const commit = async () => {
      if (!isDirty) return;
      const text = input.value;
      const message = check?.(parse(text)) ?? null;
      clearFieldErrors(element);
      if (describedBy !== null) input.setAttribute("aria-describedby", describedBy);
      if (message !== null) return showFieldError(element, input.name, message);
      const isDone = await save(parse(text));
      // What was typed meanwhile is not stored yet.
      if (!isDone || input.value !== text) return;
      setDirty(false);
      sync();
    };
    input.addEventListener("input", () => setDirty(input.value !== format(read())));
    input.addEventListener("change", () => void commit());
    this.#fields.push({ element, sync, commit });
    sync();
  }
}

function hintFor(input: HTMLElement, hint: Content | undefined): HTMLElement | null {
  if (hint === undefined) return null;
  const id = newId("hint");
  input.setAttribute("aria-describedby", id);
  return h("p", { class: "hint", id }, ...contentChildren(hint));
}

/** Formats a time for a field of the browser, in its zone. */
function localTime(at: string | null): string {
  if (at === null) return "";
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
