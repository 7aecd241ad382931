/** The languages of pages, and which one a visitor gets. */
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { acceptedLanguages } from "../../lib/text/locales.ts";
import { en } from "./en.ts";
import type { Message } from "./message.ts";
import { PSEUDO_LANGUAGE, pseudoMessage } from "./pseudo.ts";
import { createTexts, type Texts } from "./texts.ts";
import type { Translation } from "./translation.ts";

/** The languages that a user can choose. A new language is a file like `en.ts`, and a line here. */
export const LANGUAGES: Readonly<Record<string, Translation>> = { en };

/** Used when a visitor accepts none of the languages. */
const DEFAULT_LANGUAGE = "en";

type Messages = Readonly<Record<string, Message>>;

const pseudoMessages: Messages = Object.fromEntries(
  Object.entries(en).map(([key, message]) => [key, pseudoMessage(message)]),
);

const MESSAGES: Readonly<Record<string, Messages>> = { ...LANGUAGES, [PSEUDO_LANGUAGE]: pseudoMessages };

/** All languages that pages exist in. */
export const LANGUAGE_TAGS: readonly string[] = Object.keys(MESSAGES);

/** Returns the texts of the given keys in a language, for a script. */
export const messagesFor = (language: string, keys: readonly string[]): Messages =>
  Object.fromEntries(keys.flatMap((key) => (MESSAGES[language]?.[key] ? [[key, MESSAGES[language][key]]] : [])));

/** The language of a page. */
export interface PageLanguage {
  /** One of `LANGUAGE_TAGS`. */
  readonly language: string;
  /** For formats: the language, with the region that the visitor asks for. */
  readonly locale: string;
}

/**
 * Returns the language for a visitor: the one of their profile if it exists, else the first one that the browser
 * accepts. Lookup as in RFC 4647: `de-CH` gets `de`.
 */
export function chooseLanguage(profile: string | null, acceptLanguage: string | null): PageLanguage {
  for (const range of [...(profile === null ? [] : [profile]), ...acceptedLanguages(acceptLanguage)]) {
    const language = findLanguage(range);
    if (language !== undefined) return { language, locale: withRegion(language, range) };
  }
  return { language: DEFAULT_LANGUAGE, locale: DEFAULT_LANGUAGE };
}

/** Returns the language for a tag: subtags are removed from its end until one matches, and single letters with them. */
export function findLanguage(range: string): string | undefined {
  const subtags = range.toLowerCase().split("-");
  while (subtags.length > 0) {
    const found = LANGUAGE_TAGS.find((language) => language.toLowerCase() === subtags.join("-"));
    if (found !== undefined) return found;
    subtags.pop();
    if (subtags.at(-1)?.length === 1) subtags.pop();
  }
  return undefined;
}

function withRegion(language: string, range: string): string {
  try {
    const { region } = new Intl.Locale(range);
    return region === undefined || language.includes("-") ? language : `${language}-${region}`;
  } catch {
    return language;
  }
}

/** The formats of a locale use memory, and a browser can ask for any region. */
const textsByLocale = new BoundedCache<string, Texts<never>>({ maxEntries: 100 });

/** Returns the texts of a language. */
export function textsOf<Element>({ language, locale }: PageLanguage): Texts<Element> {
  const texts = textsByLocale.get(locale, () => createTexts<never>(locale, (key) => MESSAGES[language]?.[key]));
  // The texts themselves hold no elements.
  return texts as unknown as Texts<Element>;
}

/** The writing direction of a language. */
export const directionOf = (locale: string): "ltr" | "rtl" =>
  RIGHT_TO_LEFT.has(new Intl.Locale(locale).language) ? "rtl" : "ltr";

const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(["ar", "fa", "he", "ur"]);
