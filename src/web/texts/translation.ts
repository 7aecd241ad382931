/** Checks of translations by the compiler: each has all keys, with the values and elements of the English message. */
import type { CountName, ElementNames, Plural, ValueNames } from "./message.ts";
import type { English, Key } from "./texts.ts";

/** All texts of a language. */
export type Translation = {
  readonly [K in Key]: English[K] extends string ? string : Plural<CountName<English[K]>>;
};

type NamesOf<M> = ValueNames<M> | `<${ElementNames<M>}>`;
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/** A key whose values or elements differ gets the names that it must have, which no message matches. */
type Checked<T> = {
  readonly [K in keyof T]: K extends Key
    ? Same<NamesOf<T[K]>, NamesOf<English[K]>> extends true
      ? T[K]
      : { readonly mustHave: NamesOf<English[K]> }
    : never;
};

/** Declares a language: `export const de = translation({ "trash.title": "Papierkorb", … })`. */
export const translation = <const T extends Translation>(texts: T & Checked<T>): T => texts;
