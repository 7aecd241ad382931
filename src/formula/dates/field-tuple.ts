import { pyRepr, PyTuple, type PyValue } from "../runtime/values.ts";

/** A tuple with named elements, such as `time.struct_time`. */
export class FieldTuple extends PyTuple {
  readonly #name: string;
  readonly #fields: readonly string[];

  constructor(name: string, fields: readonly (readonly [name: string, value: PyValue])[]) {
    super(fields.map(([, value]) => value));
    this.#name = name;
    this.#fields = fields.map(([field]) => field);
  }

  override repr(): string {
    const items = this.items();
    return `${this.#name}(${this.#fields.map((field, index) => `${field}=${pyRepr(items[index] ?? null)}`).join(", ")})`;
  }

  override attribute(name: string): PyValue | undefined {
    const index = this.#fields.indexOf(name);
    return index < 0 ? undefined : (this.items()[index] ?? null);
  }
}
