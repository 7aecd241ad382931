import { spendBytes } from "../runtime/budget.ts";
import { typeError } from "../runtime/errors.ts";
import { codePoints, sliceText } from "../runtime/text/text.ts";
import { type PyValue, typeName } from "../runtime/values.ts";

/** A searched text with the code points that the matcher reads. */
export class Subject {
  readonly text: string;
  readonly codes: ArrayLike<number>;
  /** True when each character is one code unit, so that both indexes are equal. */
  readonly #hasOnlyBmpCharacters: boolean;

  constructor(value: PyValue) {
    if (typeof value !== "string") throw typeError(`expected string or bytes-like object, got '${typeName(value)}'`);
    this.text = value;
    spendBytes(value.length * 4);
    this.codes = Uint32Array.from(codePoints(value), (character) => character.codePointAt(0) ?? 0);
    this.#hasOnlyBmpCharacters = this.codes.length === value.length;
  }

  get length(): number {
    return this.codes.length;
  }

  slice(from: number, to: number): string {
    spendBytes((to - from) * 2);
    return this.#hasOnlyBmpCharacters ? this.text.slice(from, to) : sliceText(this.text, from, to);
  }
}
