import { describe, expect, test } from "bun:test";
import { parseSync } from "oxc-parser";
import type { TypedColumn, TypedTable } from "../../src/exchange/typed-table.ts";
import { writeTypes } from "../../src/exchange/write-types.ts";
import { typeProblems } from "../helpers/type-check.ts";

const column = (id: string, given: Partial<TypedColumn> = {}): TypedColumn => ({
  id,
  label: id,
  description: "",
  type: "Text",
  isComputed: false,
  ...given,
});

const table = (id: string, ...columns: TypedColumn[]): TypedTable => ({ id, columns });

const declared = (given: Partial<TypedColumn>): string =>
  /\{ type.*\}/.exec(writeTypes([table("T", column("A", given))]))?.[0] ?? "";

describe("a column is declared by", () => {
  test.each<[string, Partial<TypedColumn>, string]>([
    ["its type", { type: "Numeric" }, '{ type: "Numeric" }'],
    ["its choices", { type: "Choice", choices: ["a", "b c"] }, '{ type: "Choice"; choices: "a" | "b c" }'],
    ["its type alone, without choices", { type: "ChoiceList", choices: [] }, '{ type: "ChoiceList" }'],
    [
      "its type alone, with very many choices",
      { type: "Choice", choices: Array.from({ length: 501 }, (_, n) => `c${n}`) },
      '{ type: "Choice" }',
    ],
    ["its target", { type: "Ref", target: "People" }, '{ type: "Ref"; target: "People" }'],
    [
      "what it evaluates to",
      { type: "Any", kinds: ["number"], isComputed: true },
      '{ type: "Any"; value: number; computed: true }',
    ],
    ["several kinds", { type: "Any", kinds: ["number", "string"] }, '{ type: "Any"; value: number | string }'],
  ])("%s", (_, given, expected) => expect(declared(given)).toBe(expected));
});

test("labels and descriptions are comments, unless they repeat the name", () => {
  const text = writeTypes([
    table(
      "Orders",
      column("A"),
      column("B", { label: "Ordered on" }),
      column("C", { description: "By whom" }),
      column("D", { label: "Due", description: "As agreed.\r\n\r\nNever on Sunday." }),
    ),
  ]);
  expect(text).toContain(`
  Orders: {
    A: { type: "Text" };
    /** Ordered on */
    B: { type: "Text" };
    /** By whom */
    C: { type: "Text" };
    /**
     * Due
     * As agreed.
     * Never on Sunday.
     */
    D: { type: "Text" };
  };
}
`);
});

/** Texts of documents that would change the declarations if they were not escaped. */
const ATTACKS = {
  "end of a comment": "*/ evil: number; /*",
  "end of a comment over two lines": "*\n/ evil: number; /*",
  "end of a comment after a carriage return": "*\r/ evil: number; /*",
  "half of an end, at the end": "x *",
  "half of an end, at the beginning": "/ x",
  "line separator": "x\u2028evil: number;",
  "paragraph separator": "x\u2029evil: number;",
  "next line": "x\u0085evil: number;",
  "directive that hides errors": "@ts-ignore",
  "directive at the end": "x\n@ts-expect-error",
  "directive for the file": "@ts-nocheck",
  reference: '/ <reference path="/etc/passwd" />',
  "tag of a comment": "@deprecated @type {import('evil')}",
  "inline tag": "{@link javascript:alert(1)}",
  "end of a text": '"; evil: number; "',
  "end of a text by a backslash": '\\"; evil: number; //',
  "backslash at the end": "x\\",
  "end of an object": "}; }; evil: number; {",
  "template literal": "`${process.exit()}`",
  "single quote": "'; evil: number; '",
  "escape of a character": "\\u0022; evil: number;",
  "text of the other direction": "\u202E;rebmun :live\u202C",
  "isolated direction": "\u2066evil\u2069",
  "unpaired surrogates": "\uD800x\uDC00",
  "zero byte": "a\u0000b",
  "byte order mark": "\uFEFFx",
  prototype: "__proto__",
  keyword: "class",
  "keyword of types": "readonly",
  modifier: "get x",
  "index signature": "[key: string]: any",
  "mapped type": "[K in string]: any",
  "call signature": "(): void",
  "private name": "#x",
  generic: "a<T>",
  "optional mark": "x?",
  spaces: " x y ",
  number: "1",
  "number in exponential form": "1e3",
  "other letters": "größe",
  "mathematical letters": "𝒳",
  "many stars": "****/****/",
};

describe("texts of a document stay data", () => {
  const attacks = Object.entries(ATTACKS);

  test("in every place, for the compiler", async () => {
    const files = Object.fromEntries(
      attacks.map(([, text], at) => {
        const tables = [
          table(
            text,
            column(text, { label: text, description: `${text}\n${text}` }),
            column("Chosen", { type: "Choice", label: text, choices: [text, "plain"] }),
            column("Linked", { type: "Ref", target: text, description: text }),
            column("Wrong", { label: text }),
          ),
          table("Last", column("A", { label: text })),
        ];
        const name = JSON.stringify(text);
        // Fails to compile if a name or a choice became another one, or an attack added anything.
        const use = `
          type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
          export const tables: Equal<keyof Schema, ${name} | "Last"> = true;
          export const columns: Equal<keyof Schema[${name}], ${name} | "Chosen" | "Linked" | "Wrong"> = true;
          export const choices: Equal<Schema[${name}]["Chosen"]["choices"], ${name} | "plain"> = true;
          export const target: Equal<Schema[${name}]["Linked"]["target"], ${name}> = true;
          export const last: Equal<keyof Schema["Last"], "A"> = true;
          // No text hides an error of the next line.
          export const wrong: number = "";
        `;
        return [`attack${at}.ts`, writeTypes(tables).replace("export interface Schema", "interface Schema") + use];
      }),
    );
    const problems = await typeProblems(files);
    const wrongLines = problems.filter(({ code }) => code !== "TS2322");
    expect(wrongLines).toEqual([]);
    expect(problems.map(({ file }) => file).toSorted()).toEqual(Object.keys(files).toSorted());
  }, 60_000);

  test.each(attacks)("as a comment that cannot be ended, begin a directive or show other text: %s", (_, text) => {
    const declarations = writeTypes([table("T", column("A", { label: text, description: text, choices: [text] }))]);
    const { errors, comments } = parseSync("types.d.ts", declarations);
    expect(errors).toEqual([]);
    expect(comments.every(({ type }) => type === "Block")).toBe(true);
    for (const { value } of comments) expect(value).not.toMatch(/(?<!\\)@/);
    expect(declarations).not.toMatch(/[^\n\P{Cc}]|\p{Cf}|\p{Zl}|\p{Zp}|\p{Cs}/u);
  });
});
