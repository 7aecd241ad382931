/** What the compiler refuses: a line without an error below a directive fails the check of types. */
import { expect, test } from "bun:test";
import { plural, type ElementNames, type ValueNames } from "../../../src/web/texts/message.ts";
import type { Texts } from "../../../src/web/texts/texts.ts";
import { en } from "../../../src/web/texts/en.ts";
import { translation } from "../../../src/web/texts/translation.ts";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(isSame: Same<A, B>): boolean => isSame;

test("names of values and elements follow from the text", () => {
  expect([
    same<ValueNames<"{a} of {b}, {a}">, "a" | "b">(true),
    same<ValueNames<"nothing">, never>(true),
    same<ElementNames<"see <link>this <em>page</em></link>">, "link" | "em">(true),
  ]).toEqual([true, true, true]);
  const rows = plural("count", { one: "a row of {table}", other: "{count} rows of {table}" });
  expect(same<ValueNames<typeof rows>, "count" | "table">(true)).toBe(true);
});

/** Never called: only its types matter. */
export function misuse(t: Texts<object>): void {
  // @ts-expect-error an unknown key
  t("trash.unknown");
  // @ts-expect-error a missing value
  t("trash.restored");
  // @ts-expect-error a value of another name
  t("trash.restored", { title: "A" });
  // @ts-expect-error a value too many
  t("trash.title", { name: "A" });
  // @ts-expect-error a value of another type
  t("trash.restored", { name: null });
  // @ts-expect-error a plural needs a number
  t("base.size.bytes", { count: "3" });
  // @ts-expect-error a text with elements
  t("trash.empty.text");
  // @ts-expect-error a missing element
  t.rich("trash.empty.text", {});
  // @ts-expect-error an element of another name
  t.rich("trash.empty.text", { a: () => ({}) });
  t.rich("trash.empty.text", { link: (content) => content });
  // @ts-expect-error an unknown family
  t.ofFamily("trash.*", "title");
}

/** Never called either. */
export function mistranslate(): void {
  translation({ ...en });
  translation({ ...en, "trash.title": "Papierkorb", "trash.restored": "„{name}“ ist wieder da." });
  // @ts-expect-error a missing key
  translation({ "trash.title": "Papierkorb" });
  // @ts-expect-error a value of another name
  translation({ ...en, "trash.restored": "„{titel}“ ist wieder da." });
  // @ts-expect-error a missing value
  translation({ ...en, "trash.restored": "Wieder da." });
  // @ts-expect-error a missing element
  translation({ ...en, "trash.empty.text": "Zurück" });
  // @ts-expect-error no plural forms
  translation({ ...en, "base.size.bytes": "{count} Bytes" });
  // @ts-expect-error an unknown key
  translation({ ...en, "trash.titel": "Papierkorb" });
}
