import { expect, test } from "bun:test";
import { SYSTEM_TABLES } from "../../../src/doc/metadata-tables.ts";
import type { Database } from "../../../src/sqlite/database.ts";
import { marshal, unmarshal } from "../../../src/values/marshal.ts";
import { imported } from "./imported.ts";

const declared = (db: Database, table: string) =>
  db.values("select name, type, dflt_value from pragma_table_info(?)", table);

test("2: columns are redeclared without changing values", () => {
  using db = imported({ storage: 1, schema: "first" }, (old) =>
    old.table(
      "Stock",
      [
        { id: "manualSort", type: "ManualSortPos", sql: "REAL DEFAULT 2147483647" },
        { id: "Item", type: "Text", sql: `TEXT DEFAULT ""` },
        { id: "Count", type: "Int", sql: "INTEGER DEFAULT 0" },
        { id: "Price", type: "Numeric", sql: "REAL DEFAULT 0" },
        { id: "Sold", type: "Bool", sql: "BOOLEAN DEFAULT 0" },
        { id: "Due", type: "Date", sql: "DATE DEFAULT undefined" },
      ],
      [
        { manualSort: 1, Item: "12", Count: "a dozen", Price: 2.5, Sold: 1, Due: 86_400 },
        { manualSort: 2, Item: marshal(7), Count: "", Price: "n/a", Sold: "maybe", Due: marshal("2020") },
      ],
    ),
  );
  expect(declared(db, "Stock")).toEqual([
    ["id", "INTEGER", null],
    ["manualSort", "BLOB", "1e999"],
    ["Item", "BLOB", "''"],
    ["Count", "BLOB", "0"],
    ["Price", "BLOB", "0"],
    ["Sold", "BLOB", "0"],
    ["Due", "BLOB", "NULL"],
  ]);
  expect(db.values("select * from Stock")).toEqual([
    [1, 1, "12", "a dozen", 2.5, 1, 86_400],
    [2, 2, marshal(7), "", "n/a", "maybe", marshal("2020")],
  ]);
  expect(db.values("select typeof(parentPos), typeof(colId) from _grist_Tables_column limit 1")).toEqual([
    ["real", "text"],
  ]);
});

test("3: the original history format becomes a chain of states", () => {
  using db = imported({ storage: 1, schema: "first" }, (old) => {
    old.db.exec(
      "create table _gristsys_Action (id INTEGER PRIMARY KEY, actionNum INTEGER, time INTEGER, user TEXT, json TEXT)",
    );
    old.db.exec("create table _gristsys_Action_step (id INTEGER PRIMARY KEY, parentId INTEGER, type TEXT, json TEXT)");
    old.add("_gristsys_Action", {
      actionNum: 4,
      time: 1000,
      user: "ann@example.com",
      json: '["AddRecord","T",null,{}]',
    });
    old.add("_gristsys_Action", { actionNum: 5, time: 2000, user: "bob@example.com", json: '["RemoveRecord","T",1]' });
    old.add("_gristsys_Action", { actionNum: 6, time: 3000, user: "bob@example.com", json: "{broken" });
    old.add("_gristsys_Action_step", { parentId: 4, type: "undo", json: '["RemoveRecord","T",1]' });
    old.add("_gristsys_Action_step", { parentId: 5, type: "undo", json: '["AddRecord","T",1,{}]' });
  });
  const states = db.all<{ actionHash: string; body: Uint8Array }>("select * from _gristsys_ActionHistory order by id");
  expect(states.map((state) => unmarshal(state.body))).toMatchObject([
    {
      actionNum: 1,
      parentActionHash: null,
      info: [0, { time: 1000, user: "ann@example.com" }],
      stored: [[0, ["AddRecord", "T", null, {}]]],
      undo: [["RemoveRecord", "T", 1]],
      userActions: [["AddRecord", "T", null, {}]],
    },
    { actionNum: 2, parentActionHash: states[0]?.actionHash, undo: [["AddRecord", "T", 1, {}]] },
  ]);
  expect(db.values("select id, parentRef, actionNum from _gristsys_ActionHistory")).toEqual([
    [1, null, 1],
    [2, 1, 2],
  ]);
  expect(db.values("select distinct actionRef from _gristsys_ActionHistoryBranch")).toEqual([[2]]);
  expect(
    db.values("select count(*) from _gristsys_Action union all select count(*) from _gristsys_Action_step"),
  ).toEqual([[0], [0]]);
});

test("6: nulls become defaults only in columns created with the wrong default", () => {
  const types = ["Text", "Choice", "Int", "Numeric", "Ref:T", "Bool", "PositionNumber", "Date", "ChoiceList", "Any"];
  using db = imported({ storage: 5, schema: 17 }, (old) =>
    old.table(
      "T",
      [
        ...types.map((type, index) => ({ id: `c${index}`, type })),
        { id: "Right", type: "Int", sql: "BLOB DEFAULT 0" },
        { id: "Bare", type: "Int", sql: "BLOB" },
      ],
      [{ Right: null, c0: "kept" }, {}],
    ),
  );
  expect(db.values("select c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, Right, Bare from T")).toEqual([
    ["kept", "", 0, 0, 0, 0, Infinity, null, null, null, null, 0],
    ["", "", 0, 0, 0, 0, Infinity, null, null, null, 0, 0],
  ]);
  const defaults = declared(db, "T").map(([, , text]) => text);
  expect(defaults).toEqual([null, "''", "''", "0", "0", "0", "0", "1e999", "NULL", "NULL", "NULL", "0", "0"]);
});

test("keeps the nulls of a file of a later version than 6", () => {
  using db = imported({ storage: 6, schema: 17 }, (old) => old.table("T", [{ id: "N", type: "Int" }], [{}]));
  expect(db.values("select N from T")).toEqual([[null]]);
});

test("7: formula columns that were not stored are evaluated, stored ones are unchanged", () => {
  using db = imported({ storage: 6, schema: 17 }, (old) =>
    old.table(
      "T",
      [
        { id: "A", type: "Int" },
        { id: "B", type: "Numeric", formula: "$A * 2", sql: null },
        { id: "C", type: "Any", formula: "$A", sql: "BLOB DEFAULT NULL" },
      ],
      [{ A: 1, C: 5 }, { A: 2 }],
    ),
  );
  expect(db.values("select A, B, C from T")).toEqual([
    [1, 2, 5],
    [2, 4, null],
  ]);
  expect(declared(db, "T")[3]).toEqual(["B", "BLOB", "0"]);
});

test("completes tables and columns of the format, and keeps the contents of attachments", () => {
  using db = imported({ storage: 8, schema: 38 }, (old) => {
    for (const table of ["FileInfo", "PluginData", "Action", "ActionHistoryBranch", "ActionHistory", "Files"]) {
      old.drop(`_gristsys_${table}`);
    }
    old.db.exec("create table _gristsys_Files (id INTEGER PRIMARY KEY, ident TEXT UNIQUE, data BLOB)");
    old.add("_gristsys_Files", { ident: "abc.txt", data: new Uint8Array([1, 2]) });
  });
  for (const table of SYSTEM_TABLES) {
    const columns = declared(db, table.id).map(([name]) => name);
    expect(columns).toEqual(["id", ...Object.keys(table.columns)]);
  }
  expect(db.values("select * from _gristsys_Files")).toEqual([[1, "abc.txt", new Uint8Array([1, 2]), null]]);
  expect(db.values("select * from _gristsys_FileInfo")).toEqual([[0, "", ""]]);
  expect(db.values("select actionNum from _gristsys_ActionHistory")).toEqual([[1]]);
  const indexes = db.values("select name from sqlite_master where type = 'index' and sql is not null").flat();
  expect(indexes).toContain("_gristsys_PluginData_unique_key");
  expect(indexes).toContain("_grist_Attachments_fileIdent");
});

test("migrates a file of version 0 through all steps", () => {
  using db = imported({ storage: 0, schema: "first" }, (old) =>
    old.table(
      "T",
      [
        { id: "manualSort", type: "ManualSortPos", sql: "REAL DEFAULT 2147483647" },
        { id: "N", type: "Int", sql: "INTEGER" },
        { id: "F", type: "Any", formula: "$N", sql: null },
      ],
      [{ manualSort: 1 }],
    ),
  );
  expect(db.values("select * from T")).toEqual([[1, 1, 0, 0]]);
  expect(db.get<object>("pragma user_version")).toEqual({ user_version: 9 });
  expect(db.values("select schemaVersion from _grist_DocInfo")).toEqual([[46]]);
});

test("creates tables and columns that only the metadata contain", () => {
  using db = imported({ storage: 9, schema: 46 }, (old) => {
    const refs = old.table("T", [{ id: "A", type: "Int" }], [{ A: 1 }]);
    old.add("_grist_Tables_column", { parentId: refs[""] ?? 0, colId: "B", type: "Text" });
    const ref = old.add("_grist_Tables", { tableId: "Lost" });
    old.add("_grist_Tables_column", { parentId: ref, colId: "X", type: "Date" });
  });
  expect(db.values("select * from T")).toEqual([[1, 1, ""]]);
  expect(declared(db, "Lost")).toEqual([
    ["id", "INTEGER", null],
    ["X", "DATE", "NULL"],
  ]);
});
