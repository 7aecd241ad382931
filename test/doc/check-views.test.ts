/** The check of pages, sections, fields, filters and shares: what is a problem, and what is ignored by programs. */
import { expect, test } from "bun:test";
import { findMetadataNotices, findMetadataProblems } from "../../src/doc/check-metadata.ts";
import { Scratch } from "./actions/scratch.ts";

/**
 * Page 2 has the sections 4 and 7 of Cities and 8 of Table1, page 3 has section 9 of Cities. The columns of Table1 are 2 to
 * 4, those of Cities 6 (Name) and 7 (Near, a reference to Cities).
 */
function openDocument(): Scratch {
  const scratch = new Scratch();
  scratch.apply([["AddTable", "Cities", [{ id: "Name" }, { id: "Near", type: "Ref:Cities" }]]]);
  for (const [table, view] of [
    [2, 2],
    [1, 2],
    [2, 0],
  ]) {
    scratch.apply([["CreateViewSection", table, view, "record", null, null]]);
  }
  return scratch;
}

const findings = (...sql: readonly string[]): { problems: string[]; notices: string[] } => {
  using scratch = openDocument();
  const { db } = scratch.document;
  for (const statement of sql) db.exec(statement);
  return { problems: findMetadataProblems(db), notices: findMetadataNotices(db) };
};

const section = (id: number, values: string) => `update _grist_Views_section set ${values} where id = ${id}`;
const share = (linkId: string, options: string) =>
  `insert into _grist_Shares (linkId, options) values ('${linkId}', '${options}')`;
const filter = (sectionRef: number, colRef: number, text: string) =>
  `insert into _grist_Filters (viewSectionRef, colRef, filter) values (${sectionRef}, ${colRef}, '${text}')`;
const link = (id: number, [source, from, to]: readonly [number, number, number]) =>
  section(id, `linkSrcSectionRef = ${source}, linkSrcColRef = ${from}, linkTargetColRef = ${to}`);

const PROBLEMS: readonly (readonly [sql: readonly string[], problem: string])[] = [
  [
    ["update _grist_Pages set shareRef = 4 where id = 2"],
    "_grist_Pages 2: shareRef refers to 4, which does not exist.",
  ],
  [[filter(99, 6, "")], "_grist_Filters 1: viewSectionRef refers to 99, which does not exist."],
  [[filter(4, 99, "")], "_grist_Filters 1: colRef refers to 99, which does not exist."],
  [[share("a", "{}"), share("a", "{}")], "_grist_Shares 2: another share has the same linkId."],
  [[share("a", "publish")], "_grist_Shares 1: its options are not a JSON object."],
];

test.each(PROBLEMS)("the problem after %j", (sql, problem) => {
  expect(findings(...sql)).toMatchObject({ problems: [problem] });
});

const NOTICES: readonly (readonly [sql: readonly string[], notices: readonly string[]])[] = [
  [["update _grist_Pages set viewRef = 0 where id = 2"], ["_grist_Pages 2: it has no view."]],
  [["update _grist_Pages set indentation = 1"], ["_grist_Pages 1: its indentation is 1; at most 0 is possible there."]],
  [
    ["update _grist_Pages set indentation = 2 where id = 2"],
    ["_grist_Pages 2: its indentation is 2; at most 1 is possible there."],
  ],
  [
    ["update _grist_Pages set indentation = -1 where id = 2"],
    ["_grist_Pages 2: its indentation is -1; at most 1 is possible there."],
  ],
  [[section(7, "parentKey = ''")], ["7: it has no kind."]],
  [[section(7, "layoutSpec = '{'")], ["7: its layoutSpec is not a JSON object."]],
  [
    [section(7, `layoutSpec = '{"type":"Layout","children":[{"type":"Field","leaf":1}]}'`)],
    ["7: its layoutSpec contains 1, which is not a field of it."],
  ],
  [
    [`update _grist_Views set layoutSpec = '[1]' where id = 2`],
    ["_grist_Views 2: its layoutSpec is not a JSON object."],
  ],
  [
    [`update _grist_Views set layoutSpec = '{"children":[{"leaf":1}],"collapsed":[{"leaf":9}]}' where id = 2`],
    [1, 9].map((leaf) => `_grist_Views 2: its layoutSpec contains ${leaf}, which is not a section of it.`),
  ],
  [[section(7, "options = '7'")], ["7: its options are not a JSON object."]],
  [[section(7, "shareOptions = 'x'")], ["7: its shareOptions are not a JSON object."]],
  [[section(7, "sortColRefs = 'x'")], ["7: its sortColRefs are not a JSON list of columns."]],
  [[section(7, `sortColRefs = '["x"]'`)], ["7: its sortColRefs are not a JSON list of columns."]],
  [
    [section(4, `sortColRefs = '[-2,"99:emptyLast",6]'`)],
    [2, 99].map((ref) => `4: it is sorted by ${ref}, which is not a column of its table.`),
  ],
  [[filter(4, 2, "")], ["_grist_Filters 1: its column is of another table than its section."]],
  [[filter(0, 6, "{}")], ["_grist_Filters 1: it has no section."]],
  [[filter(4, 0, "{}")], ["_grist_Filters 1: it has no column."]],
  [[filter(4, 6, "[1]")], ["_grist_Filters 1: its filter is not a JSON object."]],
  [[link(9, [4, 0, 0])], ["9: it is linked to section 4 of another page."]],
  [[link(4, [7, 0, 7]), link(7, [4, 0, 0])], ["4, 7: they are linked in a cycle."]],
  [[link(4, [8, 0, 7]), link(8, [7, 2, 3]), link(7, [4, 0, 0])], ["4, 7, 8: they are linked in a cycle."]],
  [[link(4, [4, 0, 7])], ["4: they are linked in a cycle."]],
];

test.each(NOTICES)("the notices after %j", (sql, notices) => {
  const found = findings(...sql);
  expect(found.problems).toEqual([]);
  expect(found.notices.map((notice) => notice.replace("_grist_Views_section ", ""))).toEqual([...notices]);
});

const ALLOWED: readonly (readonly string[])[] = [
  ["update _grist_Pages set indentation = 1 where id > 1"],
  ["delete from _grist_Pages where id = 3"],
  [section(7, "parentKey = 'custom.map', options = ' ', layoutSpec = 'null'")],
  [section(7, `sortColRefs = '[-6, "7:naturalSort;emptyLast"]'`)],
  [filter(4, 6, "null"), filter(5, 7, '{"included":[1]}')],
  [share("a", '{"publish":true}'), share("b", "")],
  [link(4, [7, 0, 0]), link(7, [4, 7, 0])],
  [link(7, [4, 0, 7]), link(8, [7, 6, 2])],
];

test.each(ALLOWED.map((sql) => ({ sql })))("neither problems nor notices after $sql", ({ sql }) => {
  expect(findings(...sql)).toEqual({ problems: [], notices: [] });
});

test("a layout of many levels is read", () => {
  const deep = `${'{"children":['.repeat(50_000)}{"leaf":1}${"]}".repeat(50_000)}`;
  expect(findings(section(7, `layoutSpec = '${deep}'`)).notices).toHaveLength(1);
});
