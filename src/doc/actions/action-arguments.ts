import { invalid } from "../../errors.ts";
import type { ColumnInput } from "./schema/column-input.ts";
import type { InputIds, InputValues } from "./records/records.ts";

/** The arguments of an action in a request. Each getter validates the type it returns and throws AppError `invalid`. */
export class ActionArguments {
  readonly #name: string;
  readonly #values: readonly unknown[];

  constructor(name: string, values: readonly unknown[]) {
    this.#name = name;
    this.#values = values;
  }

  /** Returns the argument without validation. */
  at(index: number): unknown {
    return this.#values[index];
  }

  text(index: number): string {
    const value = this.#values[index];
    return typeof value === "string" ? value : this.#fail(index, "a string");
  }

  textOrNull(index: number): string | null {
    const value = this.#values[index] ?? null;
    return value === null || typeof value === "string" ? value : this.#fail(index, "a string or null");
  }

  flag(index: number): boolean {
    const value = this.#values[index] ?? false;
    return typeof value === "boolean" ? value : this.#fail(index, "true or false");
  }

  id(index: number): number {
    const value = this.#values[index];
    return typeof value === "number" ? value : this.#fail(index, "a row id");
  }

  idOrNull(index: number): number | null {
    const value = this.#values[index];
    return value === null || typeof value === "number" ? value : this.#fail(index, "a row id or null");
  }

  /** Returns the id of a metadata record; 0 for none, also when the argument is null or missing. */
  refOrZero(index: number): number {
    const value = this.#values[index] ?? 0;
    return Number.isSafeInteger(value) && (value as number) >= 0
      ? (value as number)
      : this.#fail(index, "a non-negative integer");
  }

  ids(index: number): number[] {
    const list = this.list(index);
    return list.every((id) => typeof id === "number") ? [...list] : this.#fail(index, "an array of row ids");
  }

  idsOrNull(index: number): InputIds {
    const list = this.list(index);
    const isValid = list.every((id) => id === null || typeof id === "number");
    return isValid ? list : this.#fail(index, "an array of row ids and nulls");
  }

  list(index: number): readonly unknown[] {
    const value = this.#values[index];
    return Array.isArray(value) ? value : this.#fail(index, "an array");
  }

  listOrNull(index: number): readonly unknown[] | null {
    return (this.#values[index] ?? null) === null ? null : this.list(index);
  }

  object(index: number): ColumnInput {
    const value = this.#values[index];
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as ColumnInput) : this.#fail(index, "an object");
  }

  /** Like `object`, but `{}` when the argument is null or missing. */
  objectOrEmpty(index: number): ColumnInput {
    return this.#values[index] === undefined || this.#values[index] === null ? {} : this.object(index);
  }

  /** Returns the values of one row by column. */
  row(index: number): InputValues {
    return new Map(Object.entries(this.object(index)).map(([column, value]) => [column, [value]]));
  }

  /** Returns the values of several rows: a list of `count` values by column. Excess values are dropped. */
  columns(index: number, count: number): InputValues {
    const entries = Object.entries(this.object(index)).map(([column, list]): [string, readonly unknown[]] => {
      if (!Array.isArray(list) || list.length < count)
        return this.#fail(index, `an object with an array of ${count} values for each column`);
      return [column, list.length === count ? list : list.slice(0, count)];
    });
    return new Map(entries);
  }

  #fail(index: number, expected: string): never {
    throw invalid(`Argument ${index + 1} of ${this.#name} must be ${expected}`);
  }
}
