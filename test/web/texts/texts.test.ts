import { describe, expect, test } from "bun:test";
import { en } from "../../../src/web/texts/en.ts";
import { chooseLanguage, LANGUAGE_TAGS, messagesFor, textsOf } from "../../../src/web/texts/languages.ts";
import { plural, type Message } from "../../../src/web/texts/message.ts";
import { pseudoMessage } from "../../../src/web/texts/pseudo.ts";
import { createTexts, type Texts } from "../../../src/web/texts/texts.ts";

/** A function of texts with the given messages; keys are not checked by the compiler. */
const withMessages = (locale: string, messages: Readonly<Record<string, Message>>) =>
  createTexts<object>(locale, (key) => messages[key]) as unknown as {
    (key: string, values?: object): string;
    rich: (key: string, parts: object) => unknown[];
    ofFamily: Texts<object>["ofFamily"];
  };

describe("a text", () => {
  test("contains its values, unchanged", () => {
    const t = withMessages("en", { "a.b": "“{name}” is in {place}, {name}" });
    expect(t("a.b", { name: "{place} <b>$&", place: "</b>$1" })).toBe("“{place} <b>$&” is in </b>$1, {place} <b>$&");
  });

  test("has its numbers in the format of the language", () => {
    const messages = { "a.b": "{count} of {total}" };
    expect(withMessages("en", messages)("a.b", { count: 1200, total: "1200" })).toBe("1,200 of 1200");
    expect(withMessages("de", messages)("a.b", { count: 1200, total: 0.5 })).toBe("1.200 of 0,5");
  });

  test("has the plural form of its number in the language", () => {
    const rows = plural("count", { one: "{count} row", few: "{count} rows (few)", other: "{count} rows" });
    const english = withMessages("en", { rows });
    expect([0, 1, 2, 1000].map((count) => english("rows", { count }))).toEqual([
      "0 rows",
      "1 row",
      "2 rows",
      "1,000 rows",
    ]);
    const polish = withMessages("pl", { rows });
    expect([1, 3, 5].map((count) => polish("rows", { count }))).toEqual(["1 row", "3 rows (few)", "5 rows"]);
  });

  test("that does not exist is an error that names the key", () => {
    expect(() => withMessages("en", {})("a.b")).toThrow("no text a.b");
  });
});

describe("a text with elements", () => {
  const wrap = (name: string) => (content: unknown[]) => ({ name, content });
  test("contains them around their content, and values as they are", () => {
    const t = withMessages("en", { "a.b": "See <link>the <em>{page}</em></link>, or {button}." });
    const button = { button: true };
    expect(t.rich("a.b", { link: wrap("a"), em: wrap("em"), page: "<script>", button })).toEqual([
      "See ",
      { name: "a", content: ["the ", { name: "em", content: ["<script>"] }] },
      ", or ",
      button,
      ".",
    ]);
  });

  test("has plural forms and formatted numbers", () => {
    const rows = plural("count", { one: "<b>{count}</b> row", other: "<b>{count}</b> rows" });
    const t = withMessages("en", { rows });
    expect(t.rich("rows", { count: 1200, b: wrap("b") })).toEqual([{ name: "b", content: ["1,200"] }, " rows"]);
  });
});

describe("a text of a family", () => {
  const t = withMessages("en", { "error.a": "A", "error.b": "B has {limit}" });
  test("is found by its name", () => expect(t.ofFamily("error.*", "a")).toBe("A"));
  test("is missing for an unknown name", () => expect(t.ofFamily("error.*", "c")).toBeUndefined());
  test("is missing without its values", () => {
    expect(t.ofFamily("error.*", "b", { limit: {} })).toBeUndefined();
    expect(t.ofFamily("error.*", "b", { limit: 3 })).toBe("B has 3");
  });
});

describe("the pseudo-language", () => {
  test("is in brackets and 30 % longer, with the same values and elements", () => {
    const text = pseudoMessage("Move {name} to <link>the trash</link>");
    expect(text).toMatch(/^⟦.*\{name\}.*<link>.*<\/link>~*⟧$/);
    for (const message of Object.values(en)) {
      if (typeof message !== "string") continue;
      const pseudo = pseudoMessage(message) as string;
      const plain = (each: string) => each.replaceAll(/\{\w+\}|<\/?\w+>|[⟦⟧]/g, "");
      expect(plain(pseudo).length).toBeGreaterThanOrEqual(Math.ceil(plain(message).length * 1.3));
      const tokens = (each: string) => each.match(/\{\w+\}|<\/?\w+>/g);
      expect(tokens(pseudo)).toEqual(tokens(message));
    }
  });

  test("has plural forms", () => {
    const t = textsOf(chooseLanguage(null, "en-XA"));
    expect(t("base.size.bytes", { count: 1 })).toMatch(/^⟦1 b[^⟧]*⟧$/);
  });
});

describe("the language of a visitor", () => {
  test.each([
    [null, null, "en", "en"],
    [null, "*", "en", "en"],
    [null, "en-GB,en;q=0.9", "en", "en-GB"],
    [null, "EN-gb", "en", "en-GB"],
    [null, "en-Latn-US-x-private", "en", "en-US"],
    [null, "fr-CA, fr;q=0.9, en-NZ;q=0.5, en;q=0.4", "en", "en-NZ"],
    [null, "fr, de", "en", "en"],
    [null, "en;q=0, fr", "en", "en"],
    [null, "en-XA", "en-XA", "en-XA"],
    [null, "en-XA;q=0.1, en;q=0.2", "en", "en"],
    ["en-XA", "en-GB", "en-XA", "en-XA"],
    ["en-AU", "en-XA", "en", "en-AU"],
    ["fr-FR", "en-XA", "en-XA", "en-XA"],
    ["", "en-XA", "en-XA", "en-XA"],
    ["not a language", "en-XA", "en-XA", "en-XA"],
  ])("with profile %j and Accept-Language %j is %s with formats of %s", (profile, accepted, language, locale) => {
    expect(chooseLanguage(profile, accepted)).toEqual({ language, locale });
  });

  test("is found for hostile headers as fast as for others", () => {
    expect(chooseLanguage("-".repeat(100), "a-".repeat(20_000)).language).toBe("en");
  });
});

test("a script gets the texts of its keys, in every language", () => {
  for (const language of LANGUAGE_TAGS) {
    const messages = messagesFor(language, ["trash.title", "trash.unknown"]);
    expect(Object.keys(messages)).toEqual(["trash.title"]);
  }
  expect(messagesFor("en", ["trash.title"])).toEqual({ "trash.title": "Trash" });
});
