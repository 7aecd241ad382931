import { expect, test } from "bun:test";
import { join } from "node:path";
import { checkDocumentFile } from "../../../src/doc/check-document.ts";
import { describeDocumentFile } from "../../../src/doc/describe-document.ts";
import { OpenDocument } from "../../../src/doc/document.ts";
import { compareFileWithFormulas } from "../../../src/doc/recalculate-file.ts";
import { createDocumentFromTemplate } from "../../../src/doc/templates/create-from-template.ts";
import { COLOURS } from "../../../src/doc/templates/template.ts";
import { describeSchema } from "../../../src/doc/schema-file/describe-schema.ts";
import { Database } from "../../../src/sqlite/database.ts";
import { PALETTE } from "../../../src/web/base/palette.ts";
import { TEMPLATE_NAMES } from "../../../src/wire/documents/documents.ts";
import { TestClock } from "../../helpers/clock.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";

const NOON = new Date().setUTCHours(12, 0, 0, 0);

function created(name: (typeof TEMPLATE_NAMES)[number], nowMs = NOON): string {
  const path = join(tempFolder(), "document.grist");
  createDocumentFromTemplate(path, name, { nowMs });
  return path;
}

test.each(TEMPLATE_NAMES)("the document of the template %s has no problems and no formula errors", (name) => {
  const path = created(name);
  expect(checkDocumentFile(path)).toEqual({ ok: true, problems: [], notices: [] });
  expect(compareFileWithFormulas(path, { clock: new TestClock(NOON) })).toMatchObject({
    differences: [],
    summaries: [],
  });
  using db = new Database(path, { readonly: true });
  const { tables } = describeDocumentFile(path);
  expect(tables).toHaveLength(3);
  for (const { rows, formulas, formulaErrors } of tables) {
    expect(rows).toBeGreaterThanOrEqual(3);
    expect(formulas).toBeGreaterThan(0);
    expect(formulaErrors).toEqual({});
  }
  // The history begins with the template, and tables have no keys of schema files.
  expect(db.values("select id from _gristsys_ActionHistory")).toEqual([[1]]);
  expect(db.values("select * from _gristsys_PluginData")).toEqual([]);
});

test("orders and tasks are computed from the rows they refer to", () => {
  using orders = new Database(created("order-book"), { readonly: true });
  expect(orders.values("select Order_no, Total, Status from Orders order by id limit 2")).toEqual([
    [expect.stringMatching(/^20\d\d-0001$/), 3596, "Paid"],
    [expect.stringMatching(/^20\d\d-0002$/), 139.9, "Paid"],
  ]);
  expect(orders.values("select Name, Orders, Revenue from Customers where id = 5")).toEqual([["Mei Tanaka", 2, 1249]]);
  expect(orders.values("select Product, Available from Products where Available < 3")).toEqual([["Cargo bike", 1]]);
  using tasks = new Database(created("tasks"), { readonly: true });
  expect(tasks.values("select Task from Tasks where Overdue")).toEqual([
    ["Write product texts"],
    ["Sign in with a passkey"],
  ]);
  expect(tasks.values("select Project, Tasks, round(Done, 2), Overdue from Projects")).toEqual([
    ["Website relaunch", 6, 0.33, 1],
    ["Mobile app", 4, 0.25, 1],
    ["Spring campaign", 2, 0, 0],
  ]);
  expect(tasks.values("select Name, Open_tasks, Overdue from People where id = 4")).toEqual([["Noor Haddad", 3, 1]]);
});

test("references show names, and the first table is the one of the daily work", () => {
  using document = new OpenDocument(created("order-book"));
  const { tables = {} } = describeSchema(document);
  expect(document.schema.tables.map(({ id }) => id)).toEqual(["Orders", "Customers", "Products"]);
  expect(tables["Orders"]?.columns["Customer"]).toMatchObject({ type: "Ref:Customers", show: "Name" });
  expect(tables["Orders"]?.columns["Status"]?.choiceStyles?.["Paid"]).toEqual(COLOURS.green);
});

test("the colours are pairs of the palette", () => {
  const pairs = PALETTE.map(({ light }) => `${light.fill} ${light.text}`);
  for (const { fillColor, textColor } of Object.values(COLOURS)) expect(pairs).toContain(`${fillColor} ${textColor}`);
});
