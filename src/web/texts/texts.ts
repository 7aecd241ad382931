/** Looks up and formats the texts of one language; the same code on the server and in pages. */
import type { en } from "./en.ts";
import type { ElementNames, Message, Parts, ValueNames, Values, WrapContent } from "./message.ts";

export type English = typeof en;
export type Key = keyof English;
/** Keys of messages without elements. */
export type PlainKey = { [K in Key]: [ElementNames<English[K]>] extends [never] ? K : never }[Key];

/** Keys of messages without values and elements, for tables of labels. */
export type LabelKey = {
  [K in PlainKey]: [ValueNames<English[K]>] extends [never] ? K : never;
}[PlainKey];

/** Omits the argument of messages without values. */
type Optional<Values> = [keyof Values] extends [never] ? [] : [values: Values];

/** The texts of a page; the part that functions take which the server and scripts share. */
export interface PlainTexts {
  /** Returns a text: `t("trash.deleted", { name })`. */
  <K extends PlainKey>(key: K, ...values: Optional<Values<English[K]>>): string;
  /**
   * Returns a text whose key is known only at run time, such as that of an error code; undefined for unknown keys, and
   * for messages with values that are missing. Scripts get all texts of the family.
   */
  readonly ofFamily: (family: Family, name: string, values?: Readonly<Record<string, unknown>>) => string | undefined;
  /** For `Intl`: the language, with the region of the user. */
  readonly locale: string;
  /** Formats a number for the language. */
  readonly number: (value: number) => string;
}

/** The texts of a page. `Element` is JSX on the server, and a node in the browser. */
export interface Texts<Element> extends PlainTexts {
  /** Returns a text that contains elements: `t.rich("trash.empty", { link: (content) => <a href="/">{content}</a> })`. */
  readonly rich: <K extends Key>(key: K, parts: Parts<English[K], Element>) => (Element | string)[];
}

/** Prefixes of keys that are found at run time. */
export type Family = "error.*" | "formulaError.*" | "cellError.*";

/** @param find returns the message of a key; undefined for unknown keys */
export function createTexts<Element>(locale: string, find: (key: string) => Message | undefined): Texts<Element> {
  const formats = formatsOf(locale);
  const { number } = formats;
  const message = (key: string): Message => {
    const found = find(key);
    if (found === undefined) throw new Error(`no text ${key}`);
    return found;
  };
  const plain = (found: Message, values: AnyValues): string =>
    selectForm(found, values, formats).replaceAll(VALUE, (_, name: string) => formatValue(values[name], number));
  const rich = (text: string, parts: AnyParts<Element>): (Element | string)[] => {
    const content: (Element | string)[] = [];
    let end = 0;
    for (const match of text.matchAll(VALUE_OR_ELEMENT)) {
      const [all, name, element, inner = ""] = match;
      if (match.index > end) content.push(text.slice(end, match.index));
      end = match.index + all.length;
      if (element === undefined) content.push(formatPart(parts[name ?? ""] as string | number | Element, number));
      else content.push((parts[element] as WrapContent<Element>)(rich(inner, parts)));
    }
    if (end < text.length) content.push(text.slice(end));
    return content;
  };
  return Object.assign((key: string, values: AnyValues = {}) => plain(message(key), values), {
    rich: (key: string, parts: object) => {
      const named = parts as AnyParts<Element>;
      return rich(selectForm(message(key), named, formats), named);
    },
    ofFamily(family: Family, name: string, values: AnyValues = {}) {
      const found = find(family.replace("*", name));
      if (found === undefined) return undefined;
      const isComplete = [...selectForm(found, values, formats).matchAll(VALUE)].every(([, each = ""]) =>
        ["string", "number"].includes(typeof values[each]),
      );
      return isComplete ? plain(found, values) : undefined;
    },
    locale,
    number,
  }) as Texts<Element>;
}

type AnyValues = Readonly<Record<string, unknown>>;
type AnyParts<Element> = Readonly<Record<string, string | number | Element | WrapContent<Element>>>;

const VALUE = /\{(\w+)\}/g;
const VALUE_OR_ELEMENT = /\{(\w+)\}|<(\w+)>(.*?)<\/\2>/gs;

interface Formats {
  readonly number: (value: number) => string;
  readonly pluralRules: Intl.PluralRules;
}

function formatsOf(locale: string): Formats {
  const numberFormat = new Intl.NumberFormat(locale);
  return { number: (value) => numberFormat.format(value), pluralRules: new Intl.PluralRules(locale) };
}

function selectForm(message: Message, values: AnyValues, { pluralRules }: Formats): string {
  if (typeof message === "string") return message;
  const { forms, plural } = message;
  return forms[pluralRules.select(Number(values[plural]))] ?? forms.other;
}

const formatValue = (value: unknown, number: Formats["number"]): string =>
  typeof value === "number" ? number(value) : String(value);

const formatPart = <Element>(part: string | number | Element, number: Formats["number"]): Element | string =>
  typeof part === "number" ? number(part) : part;
