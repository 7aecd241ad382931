import { describe, expect, test } from "bun:test";
import {
  detectionRequest,
  type ColumnGoal,
  type ImportChoices,
  importRequest,
  type IntoTable,
  missingChoice,
  NO_CHOICES,
} from "../../../src/web/base/client/import/import-request.ts";
import { matchColumns } from "../../../src/web/base/client/import/match-columns.ts";

const GOALS = new Map<string, ColumnGoal>([
  ["Name", { kind: "column", id: "Name" }],
  ["Town", { kind: "new" }],
  ["Notes", { kind: "none" }],
]);

const INTO: IntoTable = { table: "People", goals: GOALS, mode: "add", key: [], addsNew: true };

const choices = (changed: Partial<ImportChoices>): ImportChoices => ({ ...NO_CHOICES, ...changed });

describe("the request of an import", () => {
  test("of all tables and columns has no choices", () => {
    expect(importRequest(NO_CHOICES, true)).toEqual({ query: {}, body: {} });
    expect(importRequest(NO_CHOICES, true)).toEqual(detectionRequest(NO_CHOICES));
  });

  test.each<[Partial<ImportChoices>, object]>([
    [{ sheets: ["One"] }, { sheet: "One" }],
    [{ sheets: ["One", "Two"] }, { sheets: ["One", "Two"] }],
    [{ leftOut: ["Notes"] }, { leaveOut: ["Notes"] }],
    [
      { types: { Tag: "Text" }, reading: { header: 0, dates: "dmy" } },
      { types: { Tag: "Text" }, header: 0, dates: "dmy" },
    ],
    [{ documentName: "Shop" }, { documentName: "Shop" }],
  ])("of new tables: %p", (changed, body) => {
    expect(importRequest(choices(changed), false)).toEqual({ query: {}, body: body as never });
  });

  test("into a document names none", () => {
    expect(importRequest(choices({ documentName: "Shop" }), true).body).toEqual({});
  });

  test("into a table maps its columns, and adds new ones", () => {
    expect(importRequest(choices({ into: INTO }), true)).toEqual({
      query: { table: "People", addColumns: true },
      body: { columns: { Name: "Name", Notes: null } },
    });
  });

  test("by a key updates or skips rows", () => {
    const into = { ...INTO, mode: "update" as const, key: ["Name"], addsNew: false };
    const { body } = importRequest(choices({ into }), true);
    expect(body).toMatchObject({ key: ["Name"], onMatch: "update", onNew: "skip" });
    expect(importRequest(choices({ into: { ...into, mode: "skip", addsNew: true } }), true).body).toMatchObject({
      onMatch: "skip",
      onNew: "add",
    });
  });
});

test.each<[Partial<ImportChoices>, string | null]>([
  [{}, null],
  [{ sheets: [] }, "sheets"],
  [{ into: INTO }, null],
  [{ into: { ...INTO, goals: new Map() } }, "columns"],
  [{ into: { ...INTO, mode: "update" } }, "key"],
  [{ into: { ...INTO, mode: "update", key: ["Name"], addsNew: false } }, null],
  [{ into: { ...INTO, mode: "skip", key: ["Name"], addsNew: false } }, "rows"],
])("what is missing in %p: %p", (changed, missing) => {
  expect(missingChoice(choices(changed))).toBe(missing as never);
});

test("columns are matched as on the server: by label, then id, then without case, each once", () => {
  const columns = [
    { id: "A", label: "Name", type: "Text" },
    { id: "Name", label: "Surname", type: "Text" },
    { id: "Born", label: "Birthday", type: "Date" },
  ];
  const names = ["NAME", "Name", "born", "Other"].map((label) => ({ source: label, label }));
  expect([...matchColumns(names, columns)]).toEqual([
    ["NAME", { kind: "column", id: "Name" }],
    ["Name", { kind: "column", id: "A" }],
    ["born", { kind: "column", id: "Born" }],
    ["Other", { kind: "none" }],
  ]);
});
