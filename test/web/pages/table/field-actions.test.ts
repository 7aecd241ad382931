import { expect, test } from "bun:test";
import { actionsForField } from "../../../../src/web/pages/table/client/columns/field-actions.ts";

type UserAction = readonly [name: string, ...args: unknown[]];

const COLUMN = { id: "Customer", ref: 7 };
const FIELD = { ref: 21, hasOwnSettings: true, columnOptions: "", visibleCol: 3, rules: null };
const FIELDS = "_grist_Views_section_field";

const CASES: readonly [about: string, action: UserAction, own: readonly UserAction[]][] = [
  [
    "formats",
    ["ModifyColumn", "Orders", "Customer", { widgetOptions: "{}" }],
    [["UpdateRecord", FIELDS, 21, { widgetOptions: "{}" }]],
  ],
  [
    "formulas and formats",
    ["ModifyColumn", "Orders", "Customer", { formula: "1", widgetOptions: "{}", visibleCol: 4 }],
    [
      ["ModifyColumn", "Orders", "Customer", { formula: "1" }],
      ["UpdateRecord", FIELDS, 21, { widgetOptions: "{}", visibleCol: 4 }],
    ],
  ],
  [
    "shown columns",
    ["SetDisplayFormula", "Orders", null, 7, "$Customer.City"],
    [["SetDisplayFormula", "Orders", 21, null, "$Customer.City"]],
  ],
  ["new styles", ["AddEmptyRule", "Orders", 0, 7], [["AddEmptyRule", "Orders", 21, 0]]],
  [
    "formulas of styles",
    ["ModifyColumn", "Orders", "gristHelper_ConditionalRule", { formula: "True" }],
    [["ModifyColumn", "Orders", "gristHelper_ConditionalRule", { formula: "True" }]],
  ],
  [
    "names",
    ["UpdateRecord", "_grist_Tables_column", 7, { label: "A" }],
    [["UpdateRecord", "_grist_Tables_column", 7, { label: "A" }]],
  ],
];
test.each(CASES)("%s", (_, action, own) => {
  expect(actionsForField([action], FIELD, COLUMN)).toEqual(own);
  // Other columns have common settings.
  expect(actionsForField([action], { ...FIELD, hasOwnSettings: false }, COLUMN)).toEqual([action]);
  expect(actionsForField([action], null, COLUMN)).toEqual([action]);
});

test.each<UserAction>([
  ["ModifyColumn", "Orders", "Customer", { type: "Text", widgetOptions: "{}" }],
  ["ConvertFromColumn", "Orders", "Customer", "Customer", "Text", "{}", 0, false],
])("another type ends settings of a view: %s", (...action) => {
  const conversion = action as unknown as UserAction;
  expect(actionsForField([conversion], FIELD, COLUMN)).toEqual([
    conversion,
    ["UpdateRecord", FIELDS, 21, { widgetOptions: "" }],
  ]);
});
