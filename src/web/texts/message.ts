/**
 * The form of messages, and the types that follow from their texts. A message is a text with named values in braces,
 * and named elements as tags: `"{count} rows in <link>this table</link>"`.
 */

/** Forms by plural category; `other` is required in all languages. */
export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

/** A message with plural forms: the number of that name selects one. */
export interface Plural<Name extends string = string, Forms extends PluralForms = PluralForms> {
  readonly plural: Name;
  readonly forms: Forms;
}

export type Message = string | Plural;

/** `plural("count", { one: "{count} row deleted", other: "{count} rows deleted" })` */
export const plural = <const Name extends string, const Forms extends PluralForms>(
  name: Name,
  forms: Forms,
): Plural<Name, Forms> => ({ plural: name, forms });

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type TagsIn<Text extends string> = Text extends `${string}</${infer Name}>${infer Rest}` ? Name | TagsIn<Rest> : never;
type TextOf<M> = M extends string ? M : M extends Plural<string, infer Forms> ? Forms[keyof Forms] & string : never;

/** The name of the number that selects a plural form. */
export type CountName<M> = M extends Plural<infer Name> ? Name : never;
/** The names of values: all in braces, and the number of a plural. */
export type ValueNames<M> = NamesIn<TextOf<M>> | CountName<M>;
/** The names of elements. */
export type ElementNames<M> = TagsIn<TextOf<M>>;

/** The values of a message. Numbers are formatted for the language; pass ids and statuses as texts. */
export type Values<M> = { readonly [Name in ValueNames<M>]: Name extends CountName<M> ? number : string | number };

/** Creates the element of a name around its content. */
export type WrapContent<Element> = (content: (Element | string)[]) => Element;

/** The values, which may be elements, and the elements of a message. */
export type Parts<M, Element> = {
  readonly [Name in ValueNames<M>]: Name extends CountName<M> ? number : string | number | Element;
} & { readonly [Name in ElementNames<M>]: WrapContent<Element> };
