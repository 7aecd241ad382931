/** Rows of pages by the sorts and filters that their sections store, in all forms that documents have. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Desk, openDesk, rowsOf, viewOf } from "./paper.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  await desk.paper.addTable(
    "Tasks",
    [
      { id: "Name", type: "Text" },
      { id: "Size", type: "Choice", widgetOptions: '{"choices":["S","M","L"]}' },
      { id: "Rank", type: "Int" },
      { id: "File", type: "Text" },
      { id: "Person", type: "Ref:People" },
    ],
    {
      Name: ["a", "b", "c", "d"],
      Size: ["S", "L", "M", ""],
      Rank: [3, null, 1, 2],
      File: ["f10", "f2", "f1", ""],
    },
  );
  await desk.paper.addTable("People", [{ id: "Name", type: "Text" }], { Name: ["Zoe", "Anna"] });
  await desk.paper.addTable(
    "Events",
    [
      { id: "What", type: "Text" },
      { id: "Kind", type: "Choice", widgetOptions: '{"choices":["a","b","c"]}' },
      { id: "Tags", type: "ChoiceList", widgetOptions: '{"choices":["x","y"]}' },
      { id: "Size", type: "Int" },
      { id: "Day", type: "Date" },
      { id: "Who", type: "Ref:People" },
      { id: "Guests", type: "RefList:People" },
      { id: "Paid", type: "Bool" },
    ],
    {
      What: ["Talk", "Walk", "Lunch", "Party"],
      Kind: ["a", "b", "", "c"],
      Tags: [["L", "x", "y"], ["L", "y"], null, ["L", "x"]],
      Size: [1, 5, null, 9],
      Day: [inDays(-3), inDays(-400), null, inDays(400)],
      Who: [1, 2, 0, 1],
      Guests: [["L", 1, 2], ["L", 2], null, ["L", 1]],
      Paid: [true, false, false, true],
    },
  );
  const [person, name] = [await desk.paper.column("Tasks", "Person"), await desk.paper.column("People", "Name")];
  await desk.paper.apply(
    ["UpdateRecord", "_grist_Tables_column", person, { visibleCol: name }],
    ["SetDisplayFormula", "Tasks", null, person, "$Person.Name"],
    ["BulkUpdateRecord", "Tasks", [1, 2, 3, 4], { Person: [1, 2, 0, 1] }],
  );
});
afterAll(() => desk[Symbol.asyncDispose]());

/** The start of a day in UTC, in seconds. */
function inDays(days: number): number {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + days) / 1000;
}

describe("the sort of a section", () => {
  // Columns are named by @ and their id; documents have their row ids.
  test.each([
    ["is that of the rows without one", "", "abcd"],
    ["is that of the rows with an empty list", "[]", "abcd"],
    ["is that of the rows with a text that is no list", "-5 up", "abcd"],
    ["puts numbers before cells without a value", "[@Rank]", "cdab"],
    ["is reversed with a negative number", "[-@Rank]", "badc"],
    ["puts empty cells last with emptyLast", '["@Rank:emptyLast"]', "cdab"],
    ["reverses emptyLast, too", '["-@Rank:emptyLast"]', "badc"],
    ["compares choices as texts, of which empty ones are first", "[@Size]", "dbca"],
    ["follows the order of choices with orderByChoice", '["@Size:orderByChoice;emptyLast"]', "acbd"],
    ["compares texts character by character", "[@File]", "dcab"],
    ["compares the numbers in texts with naturalSort", '["@File:naturalSort"]', "dcba"],
    ["has several flags", '["-@File:naturalSort;emptyLast"]', "dabc"],
    ["has several columns", "[@Person, -@Name]", "cbda"],
    ["compares what references show", "[-@Person, @Name]", "adbc"],
    ["passes over columns that do not exist", "[9999, -@Name]", "dcba"],
    ["has blanks after commas, as the server writes it", '[-@Size, "@Name:naturalSort"]', "acbd"],
    ["ignores unknown flags", '["-@Name:sideways"]', "dcba"],
  ])("%s: %s", async (_, sort, expected) => {
    const sortColRefs = await withRefs("Tasks", sort);
    const { view } = await desk.paper.addSection("Tasks", { values: { sortColRefs } });
    expect(rowsOf((await desk.open(view)).data, "Name")?.join("")).toBe(expected);
  });
});

async function withRefs(table: string, text: string): Promise<string> {
  let replaced = text;
  for (const [, id = ""] of text.matchAll(/@(\w+)/g))
    replaced = replaced.replace(`@${id}`, String(await desk.paper.column(table, id)));
  return replaced;
}

const WEEK_AGO = '[{"quantity":-7,"unit":"day"}]';
const TODAY = '[{"quantity":0,"unit":"day"}]';
const ALL = ["Talk", "Walk", "Lunch", "Party"];

describe("the filter of a section", () => {
  test.each([
    ["selects included choices", "Kind", '{"included":["a","c"]}', ["Talk", "Party"]],
    ["leaves out excluded choices", "Kind", '{"excluded":["a"]}', ["Walk", "Lunch", "Party"]],
    ["selects nothing with an empty list of included values", "Kind", '{"included":[]}', []],
    ["selects all with an empty list of excluded values", "Kind", '{"excluded":[]}', ALL],
    ["selects all without a condition", "Kind", "{}", ALL],
    ["selects empty cells", "Kind", '{"included":[""]}', ["Lunch"]],
    ["selects numbers", "Size", '{"included":[1,9]}', ["Talk", "Party"]],
    ["selects cells without a number", "Size", '{"included":[null]}', ["Lunch"]],
    ["selects true", "Paid", '{"included":[true]}', ["Talk", "Party"]],
    ["selects numbers from a minimum", "Size", '{"min":5}', ["Walk", "Party"]],
    ["selects numbers up to a maximum", "Size", '{"max":5}', ["Talk", "Walk"]],
    ["selects numbers of a range", "Size", '{"min":2,"max":8}', ["Walk"]],
    ["prefers a range to lists", "Size", '{"max":5,"included":[9]}', ["Talk", "Walk"]],
    ["applies no range to texts", "What", '{"min":1}', ALL],
    ["applies no range to references", "Who", '{"min":2}', ALL],
    ["selects lists with an included item", "Tags", '{"included":["x"]}', ["Talk", "Party"]],
    ["keeps lists with an item that is not excluded", "Tags", '{"excluded":["x"]}', ["Talk", "Walk", "Lunch"]],
    ["leaves out empty lists", "Tags", '{"excluded":[null]}', ["Talk", "Walk", "Party"]],
    ["selects references by row ids", "Who", '{"included":[1]}', ["Talk", "Party"]],
    ["leaves out references", "Who", '{"excluded":[0,2]}', ["Talk", "Party"]],
    ["selects lists of references by row ids", "Guests", '{"included":[2]}', ["Talk", "Walk"]],
    ["selects dates", "Day", `{"included":[${inDays(-3)}]}`, ["Talk"]],
    ["selects dates from a day on", "Day", `{"min":${inDays(-3)}}`, ["Talk", "Party"]],
    ["selects dates up to the end of a day", "Day", `{"max":${inDays(-3)}}`, ["Talk", "Walk"]],
    ["selects dates relative to today", "Day", `{"min":${WEEK_AGO}}`, ["Talk", "Party"]],
    ["selects dates between relative bounds", "Day", `{"min":${WEEK_AGO},"max":${TODAY}}`, ["Talk"]],
    [
      "selects dates up to the end of a year",
      "Day",
      '{"max":[{"quantity":-1,"unit":"year","endOf":true},{"quantity":-1,"unit":"day"}]}',
      lastYear(),
    ],
    ["is ignored if it is not JSON", "Kind", '{"included', ALL],
    ["is ignored if it is a list", "Kind", '["a"]', ALL],
    ["is ignored if its list is none", "Kind", '{"included":"a"}', ALL],
    ["is ignored if its bound is none", "Size", '{"min":"many"}', ALL],
    ["is ignored if its text is empty", "Kind", "", ALL],
  ])("%s: %s %s", async (_, column, filter, expected) => {
    const { view, section } = await desk.paper.addSection("Events");
    await desk.paper.addFilter(section, await desk.paper.column("Events", column), { filter });
    expect(rowsOf((await desk.open(view)).data, "What")).toEqual(expected);
  });

  test("applies to hidden columns, together with those of others, and is pinned", async () => {
    const { paper } = desk;
    const { view, section } = await paper.addSection("Events");
    await paper.apply(["RemoveRecord", "_grist_Views_section_field", await paper.field(section, "Events", "Paid")]);
    await paper.addFilter(section, await paper.column("Events", "Paid"), { filter: '{"included":[true]}' });
    await paper.addFilter(section, await paper.column("Events", "Size"), { filter: '{"min":2}', pinned: true });
    await paper.addFilter(section, await paper.column("Events", "Kind"), { filter: "", pinned: true });
    const { data } = await desk.open(view);
    expect(rowsOf(data, "What")).toEqual(["Party"]);
    expect(viewOf(data).pinned).toEqual(["Size", "Kind"]);
    expect(viewOf(data).state.hidden).toEqual(["Paid"]);
  });

  test("applies to one section only", async () => {
    const { view, section } = await desk.paper.addSection("Events");
    const other = await desk.paper.addSection("Events", { view });
    await desk.paper.addFilter(section, await desk.paper.column("Events", "Kind"), { filter: '{"included":["b"]}' });
    const { data } = await desk.open(view);
    expect(rowsOf(data, "What", section)).toEqual(["Walk"]);
    expect(rowsOf(data, "What", other.section)).toEqual(ALL);
  });
});

/** Of the days of the events, those before the last day of the last year. */
function lastYear(): string[] {
  const limit = Date.UTC(new Date().getUTCFullYear() - 1, 11, 30) / 1000;
  return [...(inDays(-3) <= limit ? ["Talk"] : []), ...(inDays(-400) <= limit ? ["Walk"] : [])];
}
