/**
 * Hostile answers to forms, by type of field: what the server stores, or why it refuses. Tests of the API and of the page send
 * each of them.
 */

/** The problem of a field, or the cell that is stored. */
export type Expected = { readonly problem: string } | { readonly cell: unknown };

export interface HostileAnswer {
  readonly about: string;
  /** The column that it is for. */
  readonly colId: string;
  /** As an API client sends it. */
  readonly value: unknown;
  /** As a browser sends it: the values of the control; null where no form can send it. */
  readonly typed: readonly string[] | null;
  readonly expected: Expected;
}

export const HOSTILE_COLUMNS = [
  { id: "Line", fields: { type: "Text" } },
  { id: "Count", fields: { type: "Int" } },
  { id: "Price", fields: { type: "Numeric" } },
  { id: "Ok", fields: { type: "Bool" } },
  { id: "Day", fields: { type: "Date" } },
  { id: "At", fields: { type: "DateTime:Europe/Berlin" } },
  { id: "One", fields: { type: "Choice", widgetOptions: '{"choices":["a","b, c","<b>"]}' } },
  { id: "Many", fields: { type: "ChoiceList", widgetOptions: '{"choices":["a","b, c","<b>"]}' } },
  { id: "Team", fields: { type: "Ref:Teams" } },
  { id: "Teams", fields: { type: "RefList:Teams" } },
  { id: "Free", fields: { type: "Any" } },
] as const;

/** The field `Line` has this maximum length. */
export const LINE_MAXIMUM = 40;

const refused = (problem: string): Expected => ({ problem });
/** Refused before it is clear which field it is for. */
const NO_CELL = refused("payload");
const stored = (cell: unknown): Expected => ({ cell });

const text = (about: string, value: string): HostileAnswer => ({
  about,
  colId: "Line",
  value,
  typed: [value],
  expected: stored(value),
});

const both = (colId: string, value: string, expected: Expected): HostileAnswer => ({
  about: `${colId}: ${JSON.stringify(value.slice(0, 40))}`,
  colId,
  value,
  typed: [value],
  expected,
});

/** What only a program can send. */
const byProgram = (colId: string, value: unknown, expected: Expected): HostileAnswer => ({
  about: `${colId}: ${JSON.stringify(value).slice(0, 40)}`,
  colId,
  value,
  typed: null,
  expected,
});

const list = (colId: string, items: readonly string[], expected: Expected): HostileAnswer => ({
  about: `${colId}: ${JSON.stringify(items)}`,
  colId,
  value: ["L", ...items],
  typed: items,
  expected,
});

const rows = (colId: string, ids: readonly number[], expected: Expected): HostileAnswer => ({
  about: `${colId}: rows ${ids.join(", ")}`,
  colId,
  value: colId === "Team" ? ids[0] : ["L", ...ids],
  typed: ids.map(String),
  expected,
});

export const HOSTILE_ANSWERS: readonly HostileAnswer[] = [
  text("markup", "<script>alert(1)</script>"),
  text("quotes and a statement", `'"; drop table Signup; --`),
  text("a formula", "=1+1"),
  text("right to left and a direction override", "\u202Eשלום \u2066x"),
  text("emoji of several code points", "👩‍👩‍👧‍👦🏳️‍🌈"),
  text("a list as text", '["L",1,2]'),
  text("the longest text", "x".repeat(LINE_MAXIMUM)),
  both("Line", "x".repeat(LINE_MAXIMUM + 1), refused("too_long")),
  both("Line", " ".repeat(LINE_MAXIMUM + 1), refused("too_long")),
  both("Line", "😀".repeat(LINE_MAXIMUM / 2 + 1), refused("too_long")),
  byProgram("Line", 5, stored("5")),
  byProgram("Line", true, stored("true")),
  byProgram("Line", { a: 1 }, NO_CELL),
  byProgram("Line", ["L", "a"], refused("invalid")),
  byProgram("Line", ["E", "ValueError"], refused("invalid")),
  byProgram("Line", ["l", "Red", { column: "Code" }], refused("invalid")),
  both("Count", "12", stored(12)),
  both("Count", "1.5", refused("not_an_integer")),
  both("Count", "many", refused("not_an_integer")),
  both("Count", "99999999999", refused("not_an_integer")),
  both("Count", "1e400", refused("not_an_integer")),
  both("Count", "<b>1</b>", refused("not_an_integer")),
  byProgram("Count", 1.5, refused("not_an_integer")),
  byProgram("Count", ["L", 1], refused("not_an_integer")),
  byProgram("Count", {}, NO_CELL),
  both("Price", "12.5", stored(12.5)),
  both("Price", "NaN", refused("not_a_number")),
  both("Price", "Infinity", refused("not_a_number")),
  both("Price", "1,5;2", refused("not_a_number")),
  byProgram("Price", ["D", 1, "UTC"], refused("not_a_number")),
  both("Ok", "1", stored(true)),
  byProgram("Ok", "maybe", refused("invalid")),
  byProgram("Ok", ["L", true], refused("invalid")),
  both("Day", "2026-03-04", stored(Date.UTC(2026, 2, 4) / 1000)),
  both("Day", "2026-02-31", refused("not_a_date")),
  both("Day", "tomorrow", refused("not_a_date")),
  byProgram("Day", true, refused("not_a_date")),
  byProgram("Day", ["L", 1], refused("not_a_date")),
  both("At", "2026-03-04T23:10", stored(Date.UTC(2026, 2, 4, 22, 10) / 1000)),
  both("At", "noon", refused("not_a_time")),
  byProgram("At", { when: 1 }, NO_CELL),
  both("One", "a", stored("a")),
  both("One", "<b>", stored("<b>")),
  both("One", "A", refused("not_offered")),
  both("One", "a ", refused("not_offered")),
  both("One", "glass", refused("not_offered")),
  byProgram("One", ["L", "a"], refused("not_offered")),
  list("Many", ["a", "b, c"], stored(["L", "a", "b, c"])),
  list("Many", ["a", "glass"], refused("not_offered")),
  byProgram("Many", ["L", "a", "a"], stored(["L", "a"])),
  byProgram("Many", ["L", ["L", "a"]], refused("not_offered")),
  byProgram("Many", { a: 1 }, NO_CELL),
  rows("Team", [3], stored(3)),
  // The row displays nothing.
  rows("Team", [2], refused("not_offered")),
  rows("Team", [99], refused("not_offered")),
  rows("Team", [-1], refused("not_offered")),
  byProgram("Team", "Red", stored(1)),
  // A value of a column that is not shown.
  byProgram("Team", "r1", refused("not_offered")),
  byProgram("Team", 1.5, refused("not_offered")),
  byProgram("Team", true, refused("not_offered")),
  byProgram("Team", ["R", "Table1", 1], refused("not_offered")),
  byProgram("Team", ["l", "r3", { column: "Code" }], refused("not_offered")),
  byProgram("Team", "' or 1=1 --", refused("not_offered")),
  rows("Teams", [1, 3], stored(["L", 1, 3])),
  rows("Teams", [1, 2], refused("not_offered")),
  rows("Teams", [1, 99], refused("not_offered")),
  byProgram("Teams", '["Red","Blue"]', stored(["L", 1, 3])),
  byProgram("Teams", ["r", "Teams", [1]], refused("not_offered")),
  both("Free", "7 pm", stored("7 pm")),
  byProgram("Free", ["L", 1], refused("invalid")),
  byProgram("Free", { a: 1 }, NO_CELL),
];
