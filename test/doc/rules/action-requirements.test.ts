import { expect, test } from "bun:test";
import { requirementOf } from "../../../src/doc/rules/action-requirements.ts";

test.each([
  ["table", ["AddTable", "More", [{ id: "A" }, null]]],
  ["full", ["AddTable", "More", [{ id: "A" }, { id: "B", formula: "$A" }]]],
  ["table", ["AddColumn", "Jobs", "More", { type: "Text", formula: "" }]],
  ["full", ["AddColumn", "Jobs", "More", { formula: "$Hours" }]],
  ["full", ["AddVisibleColumn", "Jobs", null, { formula: "$Hours" }]],
  ["full", ["ModifyColumn", "Jobs", "Hours", { label: "Time" }]],
  ["table", ["RemoveColumn", "Jobs", "Hours"]],
  ["full", ["UpdateRecord", "_grist_Tables_column", 2, { label: "Time" }]],
  ["table", ["UpdateRecord", "_grist_Views", 1, { name: "Time" }]],
])("formulas, which read everything, require full structure access: %s for %j", (extent, action) => {
  expect(requirementOf(action)).toMatchObject({ kind: "structure", extent });
});
