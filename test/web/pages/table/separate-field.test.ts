import { expect, test } from "bun:test";
import type { StyleRule } from "../../../../src/web/pages/table/client/cells/conditional-styles.ts";
import { separateActions } from "../../../../src/web/pages/table/client/columns/separate-field.ts";
import { columnOf } from "../../base/views/sections.ts";

const FIELDS = "_grist_Views_section_field";
const RULE = "gristHelper_ConditionalRule";
const STYLE = { fillColor: "#c2efc9", other: 1 };
const rule = (columnId: string | null, stored: unknown): StyleRule => ({
  columnId,
  formula: "$A > 1",
  style: {},
  stored,
});

const COLUMNS = [columnOf("A", 7), columnOf(RULE, 8), columnOf(`${RULE}2`, 9)];
const SHEET = { table: "Orders", data: { columns: COLUMNS } };
const FIELD = { ref: 21, hasOwnSettings: false, visibleCol: 0, rules: null };

test("a field gets the options and copies of the styles of its column", () => {
  const columnOptions = JSON.stringify({ wrap: true, rulesOptions: [STYLE] });
  const actions = separateActions(
    { id: "A", ref: 7, rules: [rule(RULE, STYLE)] },
    // Its former styles are removed.
    { ...FIELD, columnOptions, rules: ["L", 9] },
    SHEET,
  );
  expect(actions).toEqual([
    ["UpdateRecord", FIELDS, 21, { widgetOptions: JSON.stringify({ wrap: true, rulesOptions: [STYLE] }) }],
    ["AddEmptyRule", "Orders", 21, 0],
    ["ModifyColumn", "Orders", `${RULE}3`, { formula: "$A > 1" }],
    ["RemoveColumn", "Orders", `${RULE}2`],
  ]);
});

test("styles whose formulas access rules hide are left out", () => {
  const rules = [rule(null, STYLE), rule(RULE, undefined)];
  const actions = separateActions({ id: "A", ref: 7, rules }, { ...FIELD, columnOptions: "" }, SHEET);
  expect(actions[0]).toEqual(["UpdateRecord", FIELDS, 21, { widgetOptions: '{"rulesOptions":[{}]}' }]);
  expect(actions.filter(([name]) => name === "AddEmptyRule")).toHaveLength(1);
});

test("a column without styles needs one action", () => {
  const actions = separateActions({ id: "A", ref: 7, rules: [] }, { ...FIELD, columnOptions: "" }, SHEET);
  expect(actions).toEqual([["UpdateRecord", FIELDS, 21, { widgetOptions: "{}" }]]);
});
