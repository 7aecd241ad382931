import { describe, expect, test } from "bun:test";
import { fieldBox, type FormBox, newFormLayout } from "../../../../src/web/base/views/form-layout.ts";
import * as edits from "../../../../src/web/pages/form-builder/edits.ts";
import { optionValue, questionOf, helpOf, shownOptions } from "../../../../src/web/pages/form-builder/field-options.ts";
import {
  type FormColumn,
  type FormField,
  type FormState,
  isPublished,
  readForm,
} from "../../../../src/web/pages/form-builder/form-data.ts";
import { readOwnSettings, withOwnSettings } from "../../../../src/web/pages/form-builder/form-settings.ts";

const column = (ref: number, id: string, more: Partial<FormColumn> = {}): FormColumn => ({
  ref,
  id,
  label: id,
  description: "",
  type: "Text",
  isComputed: false,
  options: {},
  ...more,
});

const MAIL: FormField = { ref: 21, colRef: 1, widgetOptions: "" };
const SIZE: FormField = { ref: 22, colRef: 2, widgetOptions: '{"x":[1],"question":"Which size?","formRequired":true}' };

const FORM: FormState = {
  section: 7,
  table: "Signup",
  title: "Join us",
  layoutSpec: "",
  options: "",
  shareOptions: "",
  fields: [MAIL, SIZE],
  columns: [
    column(1, "Mail", { description: "Of the person" }),
    column(2, "Size", { type: "Choice", options: { choices: ["S"], formSelectFormat: "radio" } }),
    column(3, "Phone"),
  ],
  view: 4,
  page: 5,
  share: null,
  hasPublishedSiblings: false,
};

const newId = (): string => "new";
const ROOT: FormBox = {
  type: "Layout",
  children: [fieldBox(21, () => "a"), { type: "Section", id: "s", children: [fieldBox(22, () => "b")] }],
};
const stored = (...children: unknown[]): string => JSON.stringify({ type: "Layout", children });
const [A, B] = [
  { id: "a", type: "Field", leaf: 21 },
  { id: "b", type: "Field", leaf: 22 },
];
const NEW = (leaf: number) => ({ id: "new", type: "Field", leaf });
const insertion = { root: ROOT, place: { parent: [], index: 1 }, newId };

describe("questions", () => {
  test("a column gets a field and a box", () => {
    expect(edits.askForColumn(FORM, 3, { ...insertion, nextField: 23 })).toEqual([
      ["AddRecord", "_grist_Views_section_field", 23, { parentId: 7, colRef: 3 }],
      ["UpdateRecord", "_grist_Views_section", 7, { layoutSpec: stored(A, NEW(23), ROOT.children?.[1]) }],
    ]);
  });

  test("a column with a field that no box shows gets a box", () => {
    const root: FormBox = { type: "Layout", children: [A] };
    expect(edits.askForColumn(FORM, 2, { ...insertion, root, nextField: 23 })).toEqual([
      ["UpdateRecord", "_grist_Views_section", 7, { layoutSpec: stored(A, NEW(22)) }],
    ]);
  });

  test("a new question gets a column, a field and a box", () => {
    const question = { label: "How old?", type: "Int", nextColumn: 4, nextField: 25 };
    expect(edits.askNewQuestion(FORM, question, insertion)).toEqual([
      ["AddColumn", "Signup", "How old?", { label: "How old?", type: "Int", isFormula: false }],
      ["AddRecord", "_grist_Views_section_field", 25, { parentId: 7, colRef: 4 }],
      ["UpdateRecord", "_grist_Views_section", 7, { layoutSpec: stored(A, NEW(25), ROOT.children?.[1]) }],
    ]);
  });

  test("a new question has the choices of its column", () => {
    const question = { label: "Size", type: "Choice", choices: ["S", "M"], nextColumn: 4, nextField: 25 };
    expect(edits.askNewQuestion(FORM, question, insertion)[0]).toEqual([
      "AddColumn",
      "Signup",
      "Size",
      { label: "Size", type: "Choice", isFormula: false, widgetOptions: '{"choices":["S","M"]}' },
    ]);
  });

  test("a removed box takes its fields along, unless another box shows them", () => {
    expect(edits.removeFromForm(FORM, { root: ROOT, path: [1], newId })).toEqual([
      ["BulkRemoveRecord", "_grist_Views_section_field", [22]],
      ["UpdateRecord", "_grist_Views_section", 7, { layoutSpec: stored(A) }],
    ]);
    const twice: FormBox = { type: "Layout", children: [A, B, { ...A, id: "again" }] };
    expect(edits.removeFromForm(FORM, { root: twice, path: [2], newId })).toEqual([
      ["UpdateRecord", "_grist_Views_section", 7, { layoutSpec: stored(A, B) }],
    ]);
    const lost: FormBox = { type: "Layout", children: [A, { ...A, leaf: 99 }] };
    expect(edits.removeFromForm(FORM, { root: lost, path: [1], newId })).toEqual([
      ["UpdateRecord", "_grist_Views_section", 7, { layoutSpec: stored(A) }],
    ]);
  });
});

describe("options of a question", () => {
  const change = (field: FormField, changes: object) => edits.changeField(FORM, field, changes);
  const writes = (ref: number, widgetOptions: string): edits.UserAction[] => [
    ["UpdateRecord", "_grist_Views_section_field", ref, { widgetOptions }],
  ];

  test("are stored in the field, where other keys stay", () => {
    expect(change(MAIL, { formRequired: true })).toEqual(writes(21, '{"formRequired":true}'));
    expect(change(SIZE, { formIsHidden: true })).toEqual(
      writes(22, '{"x":[1],"question":"Which size?","formRequired":true,"formIsHidden":true}'),
    );
  });

  test("are removed when they are as without the field", () => {
    expect(change(SIZE, { formRequired: false, question: "" })).toEqual(writes(22, '{"x":[1]}'));
    expect(change(SIZE, { question: "Size" })).toEqual(writes(22, '{"x":[1],"formRequired":true}'));
    expect(change({ ...MAIL, widgetOptions: '{"formRequired":true}' }, { formRequired: false })).toEqual(
      writes(21, ""),
    );
  });

  test("override those of the column", () => {
    expect(change({ ...SIZE, widgetOptions: "" }, { formSelectFormat: "select" })).toEqual(
      writes(22, '{"formSelectFormat":"select"}'),
    );
    expect(change({ ...SIZE, widgetOptions: '{"formSelectFormat":"select"}' }, { formSelectFormat: "radio" })).toEqual(
      writes(22, ""),
    );
  });

  test("that did not change write nothing", () => {
    expect(change(MAIL, { question: "Mail", description: "Of the person", formRequired: false })).toEqual([]);
  });

  test("are those of the column, overlaid by those of the field", () => {
    expect(questionOf(FORM, SIZE)).toBe("Which size?");
    expect(questionOf(FORM, MAIL)).toBe("Mail");
    expect(helpOf(FORM, MAIL)).toBe("Of the person");
    expect(optionValue(FORM, SIZE, "formSelectFormat")).toBe("radio");
    expect(optionValue(FORM, SIZE, "formOptionsLimit")).toBe(30);
    expect(shownOptions(FORM, SIZE)).toEqual(["formSelectFormat", "formOptionsAlignment", "formOptionsSortOrder"]);
    expect(shownOptions(FORM, MAIL)).toEqual(["formTextFormat", "formTextMaximumLength"]);
  });
});

describe("publishing", () => {
  const root = newFormLayout({ fields: [21], title: "Join", newId });
  const layout: edits.UserAction = ["UpdateRecord", "_grist_Views_section", 7, { layoutSpec: JSON.stringify(root) }];
  const share = { ref: 3, linkId: "link", options: '{"publish":false,"x":1}' };

  test("adds a share for the page", () => {
    for (const [form, hasLink] of [
      [FORM, false],
      [{ ...FORM, share }, false],
    ] as const) {
      expect(edits.publish(form, { root, hasLink, newId: () => "uuid" })).toEqual([
        ["AddRecord", "_grist_Shares", -1, { linkId: "uuid", options: '{"publish":true}' }],
        ["UpdateRecord", "_grist_Pages", 5, { shareRef: -1 }],
        layout,
        ["UpdateRecord", "_grist_Views_section", 7, { shareOptions: '{"form":true,"publish":true}' }],
      ]);
    }
  });

  test("uses the page's share again", () => {
    const form = { ...FORM, share, shareOptions: '{"form":true,"publish":false,"y":2}' };
    expect(edits.publish(form, { root, hasLink: true, newId })).toEqual([
      ["UpdateRecord", "_grist_Shares", 3, { options: '{"publish":true,"x":1}' }],
      layout,
      ["UpdateRecord", "_grist_Views_section", 7, { shareOptions: '{"form":true,"publish":true,"y":2}' }],
    ]);
  });

  test("ends for the form, and for the share with the last one of the page", () => {
    const form = {
      ...FORM,
      share: { ...share, options: '{"publish":true,"x":1}' },
      shareOptions: '{"form":true,"publish":true}',
    };
    expect(isPublished(form)).toBe(true);
    const own: edits.UserAction = [
      "UpdateRecord",
      "_grist_Views_section",
      7,
      { shareOptions: '{"form":true,"publish":false}' },
    ];
    expect(edits.unpublish(form)).toEqual([
      own,
      ["UpdateRecord", "_grist_Shares", 3, { options: '{"publish":false,"x":1}' }],
    ]);
    expect(edits.unpublish({ ...form, hasPublishedSiblings: true })).toEqual([own]);
  });

  test.each([
    { share: null },
    { page: 0 },
    { share: { ...share, options: "{" } },
    { shareOptions: '{"form":true,"publish":false}' },
    { shareOptions: '{"publish":true}' },
    { shareOptions: "no JSON" },
  ])("%p: a draft", (changes) => {
    const form = {
      ...FORM,
      share: { ...share, options: '{"publish":true}' },
      shareOptions: '{"form":true,"publish":true}',
    };
    expect(isPublished({ ...form, ...changes })).toBe(false);
  });
});

describe("settings", () => {
  test("are one key each, and stay beside keys of other programs", () => {
    expect(edits.changeTitle(FORM, "Join us")).toEqual([]);
    expect(edits.changeTitle(FORM, "Join")).toEqual([["UpdateRecord", "_grist_Views_section", 7, { title: "Join" }]]);
    expect(edits.changeLayoutBox(FORM, { root: ROOT, path: [] }, { successText: "Thanks" })).toEqual([
      ["UpdateRecord", "_grist_Views_section", 7, { layoutSpec: JSON.stringify({ ...ROOT, successText: "Thanks" }) }],
    ]);
    const options = '{"a":1,"quern":{"v":2,"filter":{},"form":{"later":1}}}';
    expect(withOwnSettings(options, { signIn: true, maxAnswers: 3 })).toBe(
      '{"a":1,"quern":{"v":2,"filter":{},"form":{"later":1,"signIn":true,"maxAnswers":3}}}',
    );
    expect(edits.changeOwnSettings({ ...FORM, options: "" }, { signIn: false })).toEqual([]);
  });

  test("that are off are removed", () => {
    const options = withOwnSettings('{"a":1}', { signIn: true, closesAt: "2026-05-03T10:00:00Z" });
    expect(options).toBe('{"a":1,"quern":{"v":1,"form":{"signIn":true,"closesAt":"2026-05-03T10:00:00Z"}}}');
    expect(withOwnSettings(options, { signIn: false, closesAt: null })).toBe('{"a":1}');
    expect(withOwnSettings(withOwnSettings("", { signIn: true }), { signIn: false })).toBe("");
  });

  test.each([
    "",
    "{",
    '{"quern":7}',
    '{"quern":{"form":[]}}',
    '{"quern":{"form":{"signIn":"yes","closesAt":"soon","maxAnswers":-1}}}',
  ])("%s has none", (options) =>
    expect(readOwnSettings(options)).toEqual({ signIn: false, closesAt: null, maxAnswers: null }),
  );
});

test("reads a form, and nothing of other sections", async () => {
  const tables: Record<string, { id: number; fields: Record<string, unknown> }[]> = {
    _grist_Views_section: [
      {
        id: 7,
        fields: { tableRef: 2, parentId: 4, parentKey: "form", title: "Join", layoutSpec: 7, shareOptions: "" },
      },
      { id: 8, fields: { tableRef: 2, parentId: 4, parentKey: "form", shareOptions: '{"form":true,"publish":true}' } },
      { id: 9, fields: { tableRef: 2, parentId: 4, parentKey: "record" } },
      { id: 10, fields: { tableRef: 0, parentId: 4, parentKey: "form" } },
    ],
    _grist_Tables: [{ id: 2, fields: { tableId: "Signup" } }],
    _grist_Views_section_field: [
      { id: 22, fields: { parentId: 7, colRef: 2, parentPos: 2, widgetOptions: "" } },
      { id: 21, fields: { parentId: 7, colRef: 1, parentPos: 1, widgetOptions: null } },
    ],
    _grist_Tables_column: [
      { id: 2, fields: { parentId: 2, colId: "Size", label: "", type: "Choice", isFormula: true, formula: "1" } },
      { id: 1, fields: { parentId: 2, colId: "Mail", label: "Your mail", type: "Text", widgetOptions: "[" } },
      { id: 3, fields: { parentId: 2, colId: "gristHelper_Display", type: "Any" } },
    ],
    _grist_Pages: [{ id: 5, fields: { viewRef: 4, shareRef: 3 } }],
    _grist_Shares: [{ id: 3, fields: { linkId: "link", options: '{"publish":true}' } }],
  };
  const read = async (table: string, filter: Readonly<Record<string, readonly number[]>>) => {
    const [name, values] = Object.entries(filter)[0] ?? ["", []];
    return (tables[table] ?? []).filter(({ id, fields }) => values.includes(name === "id" ? id : Number(fields[name])));
  };
  const form = await readForm(read, 7);
  expect(form).toMatchObject({ section: 7, table: "Signup", title: "Join", layoutSpec: "", page: 5 });
  expect(form?.fields.map(({ ref }) => ref)).toEqual([21, 22]);
  expect(form?.columns).toMatchObject([
    { id: "Mail", label: "Your mail", isComputed: false, options: {} },
    { id: "Size", label: "Size", isComputed: true },
  ]);
  expect(form?.share).toEqual({ ref: 3, linkId: "link", options: '{"publish":true}' });
  expect(form?.hasPublishedSiblings).toBe(true);
  for (const other of [9, 10, 11]) expect(await readForm(read, other)).toBeNull();
});
