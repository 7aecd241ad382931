/** Writes of the scene, one for each kind. */
export interface Operation {
  readonly method: string;
  /** Relative to the document. `dryrun=1` is added to its query. */
  readonly path: string;
  readonly body?: unknown;
  /** Lines of NDJSON, in place of `body`. */
  readonly lines?: readonly object[];
}

const write = (method: string, path: string, body?: unknown): Operation => ({ method, path, body });
const records = (...list: object[]): object => ({ records: list });
const apply = (...actions: unknown[][]): Operation => write("POST", "apply", actions);

/** By what they do; each changes something. */
export const OPERATIONS: readonly (readonly [name: string, operation: Operation])[] = [
  [
    "add a record",
    write("POST", "tables/Orders/records", records({ fields: { Customer: 2, Amount: 5, Status: "new" } })),
  ],
  ["add a record to a new group", write("POST", "tables/Orders/records", records({ fields: { Status: "late" } }))],
  ["add and return records", write("POST", "tables/Orders/records?return=records", records({ fields: { Amount: 5 } }))],
  ["add lines", { method: "POST", path: "tables/Orders/records", lines: [{ Amount: 7 }, { Amount: "x" }] }],
  [
    "modify a record",
    write("PATCH", "tables/Orders/records", records({ id: 1, fields: { Amount: "8", Status: "done" } })),
  ],
  [
    "modify a record with dependents",
    write("PATCH", "tables/Customers/records", records({ id: 1, fields: { Rate: 11 } })),
  ],
  [
    "modify by a filter",
    write("PATCH", 'tables/Orders/records?filter={"Amount":{"gt":1}}', { fields: { Status: "big" } }),
  ],
  [
    "upsert records",
    write(
      "PUT",
      "tables/Customers/records",
      records({ require: { Name: "Ann" }, fields: { Rate: 99 } }, { require: { Name: "Dot" }, fields: { Rate: 1 } }),
    ),
  ],
  ["upsert lines", { method: "PUT", path: "tables/Customers/records", lines: [{ require: { Name: "Eve" } }] }],
  ["delete records", write("POST", "tables/Orders/records/delete", [1, 3, 99])],
  ["delete by a filter", write("POST", "tables/Orders/records/delete", { filter: { Status: { eq: "new" } } })],
  ["modify one record", write("PATCH", "tables/Orders/records/2", { fields: { Customer: 3 } })],
  ["delete one record", write("DELETE", "tables/Customers/records/1")],
  ["add data", write("POST", "tables/Orders/data", { Amount: [1, 2], Customer: [1, 2] })],
  ["modify data", write("PATCH", "tables/Orders/data", { id: [1, 2], Amount: [5, 6] })],
  ["delete data", write("POST", "tables/Orders/data/delete", [4])],
  [
    "modify a metadata table",
    write("PATCH", "tables/_grist_Views/records", records({ id: 1, fields: { name: "First" } })),
  ],
  ["add tables", write("POST", "tables", { tables: [{ id: "New", columns: [{ id: "A" }, { id: "B" }] }] })],
  ["rename a table", write("PATCH", "tables", { tables: [{ id: "Orders", fields: { tableId: "Sales" } }] })],
  ["delete a table", write("DELETE", "tables/Orders")],
  [
    "add a formula column",
    write("POST", "tables/Orders/columns", {
      columns: [{ id: "Twice", fields: { isFormula: true, formula: "$Total * 2" } }],
    }),
  ],
  [
    "modify a column",
    write("PATCH", "tables/Orders/columns", { columns: [{ id: "Amount", fields: { colId: "Qty", type: "Text" } }] }),
  ],
  [
    "change a formula",
    write("PATCH", "tables/Orders/columns", { columns: [{ id: "Total", fields: { formula: "1" } }] }),
  ],
  [
    "put columns",
    write("PUT", "tables/Customers/columns?replaceall=1", {
      columns: [
        { id: "Name", fields: { label: "Full name" } },
        { id: "Born", fields: { type: "Date" } },
      ],
    }),
  ],
  ["convert a column", write("POST", "tables/Orders/columns/Amount/convert", { type: "Text" })],
  ["delete a column", write("DELETE", "tables/Customers/columns/Rate")],
  [
    "run a batch",
    write("POST", "batch", {
      operations: [
        { op: "add", as: "new", table: "Customers", records: [{ fields: { Name: "Fay", Rate: 2 } }] },
        { op: "add", table: "Orders", records: [{ fields: { Customer: { $ref: "new.ids.0" }, Amount: 3 } }] },
        { op: "delete", table: "Orders", ids: [1] },
      ],
    }),
  ],
  ["undo the last change", write("POST", "states/$newest/undo")],
  ["restore the first state", write("POST", "states/1/restore")],
  [
    "apply record actions",
    apply(["BulkUpdateRecord", "Orders", [1, 2], { Amount: [0, 0] }], ["RemoveRecord", "Orders", 1]),
  ],
  ["replace all rows", apply(["ReplaceTableData", "Orders", [2, 9], { Amount: [2, 5], Customer: [1, 1] }])],
  [
    "apply actions that rename and add",
    apply(
      ["RenameColumn", "Orders", "Amount", "Qty"],
      ["RenameTable", "Orders", "Sales"],
      ["UpdateRecord", "Sales", 1, { Qty: 50 }],
      ["AddColumn", "Sales", "Half", { isFormula: true, formula: "$Qty / 2" }],
      ["AddRecord", "Sales", null, { Qty: 3 }],
    ),
  ],
  [
    "add and remove a row",
    apply(
      ["AddRecord", "Orders", 20, { Amount: 1 }],
      ["RemoveRecord", "Orders", 20],
      ["AddRecord", "Orders", null, {}],
    ),
  ],
  ["remove a summary", apply(["RemoveTable", "Orders_summary_Status"])],
];

/** Writes that are refused, with status and code. */
export const REFUSED: readonly (readonly [name: string, operation: Operation, status: number, code: string])[] = [
  [
    "an unknown row",
    write("PATCH", "tables/Orders/records", records({ id: 99, fields: { Amount: 1 } })),
    400,
    "row.unknown",
  ],
  ["an unknown table", write("POST", "tables/Nope/records", records({ fields: {} })), 404, "table.not_found"],
  [
    "a formula column",
    write("POST", "tables/Orders/records", records({ fields: { Total: 1 } })),
    400,
    "column.read_only",
  ],
  ["an unknown record", write("DELETE", "tables/Orders/records/99"), 404, "record.not_found"],
  ["a body without records", write("POST", "tables/Orders/records", {}), 400, "payload.invalid"],
  [
    "too many matches",
    write("PATCH", 'tables/Orders/records?maxRows=1&filter={"id":{"gt":0}}', { fields: { Status: "x" } }),
    413,
    "limit.matched_rows",
  ],
  ["a later action", apply(["AddRecord", "Orders", null, {}], ["RemoveTable", "Nope"]), 400, "table.unknown"],
  ["an unknown state", write("POST", "states/999/undo"), 404, "state.not_found"],
];
