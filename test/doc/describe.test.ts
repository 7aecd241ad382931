import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "bun:test";
import { describeDocumentFile } from "../../src/doc/describe-document.ts";
import { run } from "../../src/commands/run.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { Scratch } from "./actions/scratch.ts";
import { OldDocument } from "./old-document.ts";

let folder: string;
beforeEach(() => {
  folder = tempFolder();
});

/** Creates a document with failed formulas, a hidden helper column, an access rule and an attachment. */
function orders(): string {
  using scratch = new Scratch();
  scratch.do("AddTable", "Customers", [{ id: "Name", type: "Text" }]);
  scratch.do("AddTable", "Orders", [
    { id: "Price", type: "Numeric" },
    { id: "Share", type: "Numeric", formula: "1 / $Price", isFormula: true },
    { id: "Half", type: "Any", formula: "$Share / 2", isFormula: true },
    { id: "Good", type: "Numeric", formula: "2", isFormula: true },
    { id: "Customer", type: "Ref:Customers" },
  ]);
  scratch.do("SetDisplayFormula", "Orders", null, "Customer", "$Customer.Name");
  scratch.do("BulkAddRecord", "Orders", [null, null, null], { Price: [0, 4, 0] });
  scratch.do("AddRecord", "_grist_ACLResources", -1, { tableId: "Orders", colIds: "*" });
  scratch.do("AddRecord", "_grist_ACLRules", null, { resource: 2, aclFormula: "", permissionsText: "-D" });
  scratch.document.db.run("insert into _grist_Attachments (id, fileName, fileSize) values (1, 'a.txt', 5)");
  return scratch.document.path;
}

test("counts tables, failed cells, attachments and rules, without helper columns and the placeholder rule", () => {
  const path = orders();
  const before = readFileSync(path);
  const files = readdirSync(dirname(path));
  const { tables, ...rest } = describeDocumentFile(path);
  expect(tables.filter(({ table }) => table !== "Table1")).toEqual([
    { table: "Customers", rows: 0, columns: 1, formulas: 0, formulaErrors: {} },
    { table: "Orders", rows: 3, columns: 5, formulas: 3, formulaErrors: { Share: 2, Half: 2 } },
  ]);
  expect(rest).toEqual({ attachments: { count: 1, sizeBytes: 5 }, accessRules: 1, pages: 3 });
  expect(readFileSync(path).equals(before)).toBeTrue();
  expect(readdirSync(dirname(path))).toEqual(files);
});

test("describes a document of an older version as it will be after the upgrade, and leaves it unchanged", () => {
  const path = join(folder, "old.grist");
  {
    using old = new OldDocument(path, { storage: 1, schema: "first" });
    old.table("T", [
      { id: "A", type: "Text" },
      { id: "F", type: "Any", formula: "$A", sql: null },
    ]);
  }
  const before = readFileSync(path);
  expect(describeDocumentFile(path).tables).toEqual([
    { table: "T", rows: 0, columns: 2, formulas: 1, formulaErrors: {} },
  ]);
  expect(readFileSync(path).equals(before)).toBeTrue();
  expect(readdirSync(folder)).toEqual(["old.grist"]);
});

test("doc describe prints a line per table that names the columns with errors", async () => {
  const path = join(folder, "orders.grist");
  copyFileSync(orders(), path);
  const { status, out } = await describeCommand(path);
  expect(status).toBe(0);
  expect(out.filter((line) => !line.includes("Table1"))).toEqual([
    "table Customers: rows 0, columns 1, formulas 0",
    "table Orders: rows 3, columns 5, formulas 3; errors: 2 in Share, 2 in Half",
    "attachments: 1, bytes 5",
    "access rules: 1",
    "pages: 3",
  ]);
});

test("doc describe refuses files that are not documents", async () => {
  const path = join(folder, "notes.grist");
  writeFileSync(path, "no document");
  const { status, err } = await describeCommand(path);
  expect(status).toBe(1);
  expect(err).toEqual(["quern doc describe: The file is not an SQLite database"]);
});

async function describeCommand(path: string): Promise<{ status: number; out: string[]; err: string[] }> {
  const out: string[] = [];
  const err: string[] = [];
  const status = await run({
    args: ["doc", "describe", path],
    env: {},
    stdin: () => Promise.resolve(""),
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    isOutputLost: async () => false,
    onStop() {},
    onReload() {},
    onUnhandledRejection() {},
    onUncaughtException() {},
  });
  return { status, out, err };
}
