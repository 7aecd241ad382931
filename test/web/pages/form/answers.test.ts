import { describe, expect, test } from "bun:test";
import { controlName, readAddress, readInput, toFields } from "../../../../src/web/pages/form/answers.ts";
import type { FormField } from "../../../../src/services/forms/forms.ts";
import { readLayout } from "../../../../src/web/pages/form/layout.ts";
import { formOf } from "./form-sample.ts";

type Fields = Readonly<Record<string, Partial<FormField>>>;

const TEAMS = [
  [1, "Red"],
  [2, "Blue"],
  [7, 0],
] as const;

const MANY_TEAMS = Array.from({ length: 201 }, (_, index) => [index + 1, `Team ${index + 1}`] as const);

const FIELDS: Fields = {
  Mail: {},
  Notes: { options: { formTextFormat: "multiline" } },
  Age: { type: "Int" },
  Ok: { type: "Bool" },
  When: { type: "Date" },
  At: { type: "DateTime" },
  Size: { type: "Choice", options: { choices: ["S", "M"] } },
  Topics: { type: "ChoiceList", options: { choices: ["a", "b"] } },
  Team: { type: "Ref", refValues: TEAMS },
  Also: { type: "RefList", refValues: TEAMS },
  Many: { type: "Ref", refValues: MANY_TEAMS },
  Files: { type: "Attachments", refValues: [] },
};

/** The cells of an answer with the given texts, by column id. */
function fieldsOf(fields: Fields, answers: Readonly<Record<string, string | readonly string[]>>) {
  const { questions } = readLayout(formOf(fields));
  const entries = Object.entries(answers).flatMap(([colId, texts]) =>
    [texts].flat().map((text) => [`answer.${colId}`, text] as const),
  );
  return toFields(questions, readInput(questions, entries));
}

test("the address names a row of a reference by its text, formatted or not", () => {
  const Price = {
    type: "Ref",
    refValues: [[4, 1200]],
    texts: ["$1,200"],
    options: { formAcceptFromUrl: true },
  } as const;
  const { questions } = readLayout(formOf({ Price }));
  for (const text of ["$1,200", "1200"]) {
    expect(readAddress(questions, new URLSearchParams({ Price: text })).get("Price")).toEqual(["4"]);
  }
  expect(readAddress(questions, new URLSearchParams({ Price: "1201" })).size).toBe(0);
});

describe("an answer", () => {
  test("has the form that the API takes", () => {
    const answers = {
      Mail: "a@example.com",
      Notes: "one\r\ntwo",
      Age: "31",
      Ok: "1",
      When: "2026-03-04",
      At: "2026-03-04T23:10",
      Size: "M",
      Topics: ["a", "b"],
      Team: "2",
      Also: ["1", "7"],
      Many: "Team 201",
    };
    expect(fieldsOf(FIELDS, answers)).toEqual({
      ...answers,
      Notes: "one\ntwo",
      Topics: ["L", "a", "b"],
      Team: 2,
      Also: ["L", 1, 7],
      Many: 201,
    });
  });

  test("leaves out what is blank, and all that the form does not ask", () => {
    const blank = { Mail: "", Notes: " \r\n ", Age: "", Size: "", Topics: "", Team: "", Many: " " };
    expect(fieldsOf(FIELDS, { ...blank, Other: "x", __proto__: "x", token: "x" })).toEqual({});
  });

  test("passes on what no control sends, which the server refuses", () => {
    expect(fieldsOf(FIELDS, { Team: "Red", Also: ["-1", "1e3"], Many: "Nobody", Size: "XL" })).toEqual({
      Team: "Red",
      Also: ["L", "-1", "1e3"],
      Many: "Nobody",
      Size: "XL",
    });
  });

  test("never mixes up a column with a field of the form itself", () => {
    const { questions } = readLayout(formOf({ token: {}, website: {} }));
    expect(questions.map(controlName)).toEqual(["answer.token", "answer.website"]);
  });
});

describe("the address of a form", () => {
  const open = (fields: Fields, query: string) => {
    const withOption = Object.entries(fields).map(([colId, field]) => [
      colId,
      { ...field, options: { ...field.options, formAcceptFromUrl: true } },
    ]);
    const { questions } = readLayout(formOf(Object.fromEntries(withOption) as Fields));
    return Object.fromEntries(readAddress(questions, new URLSearchParams(query)));
  };

  test("gives initial values: references by the value shown, lists by several parameters", () => {
    const query = "Mail=a%40b.c&Size=M&Topics=a&Topics=b&Team=Blue&Also=Red&Also=0&Many=Team+5&Ok=TRUE";
    expect(open(FIELDS, query)).toEqual({
      Mail: ["a@b.c"],
      Size: ["M"],
      Topics: ["a", "b"],
      Team: ["2"],
      Also: ["1", "7"],
      Many: ["Team 5"],
      Ok: ["1"],
    });
  });

  test("gives none for unknown rows, files, and boxes that are off", () => {
    expect(open(FIELDS, "Team=Green&Also=Green&Files=x&Ok=0")).toEqual({});
  });

  test("only gives values to questions that take them", () => {
    const { questions } = readLayout(formOf({ Mail: {}, Age: { options: { formAcceptFromUrl: "true" } } }));
    expect(readAddress(questions, new URLSearchParams("Mail=x&Age=3"))).toEqual(new Map());
  });
});
