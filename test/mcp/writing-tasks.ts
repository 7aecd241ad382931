/** Tasks that change documents. */
import { expect } from "bun:test";
import { inOrders, inStock, ORDERS, sinceFirst, type Task } from "./task.ts";

export const WRITING_TASKS: readonly Task[] = [
  {
    goal: "Add an order, with a date as people write it",
    steps: [
      {
        tool: "add_records",
        args: inOrders({ records: [{ Item: "Oil", Qty: 3, Customer: 1, Ordered: "May 1 2026" }] }),
        gives: { ids: [4] },
      },
      {
        tool: "query_records",
        args: inOrders({ filter: { id: { eq: 4 } } }),
        gives: { records: [{ fields: { Item: "Oil", Ordered: "2026-05-01", Double: 6 } }] },
      },
    ],
    orders: [...ORDERS, { Item: "Oil", Qty: 3 }],
  },
  {
    goal: "Mark open orders as sent, after a look at what would change",
    steps: [
      {
        tool: "update_records",
        args: inOrders({ filter: { Status: { eq: "open" } }, fields: { Status: "sent" }, dryRun: true }),
        gives: { wouldChange: { tables: [{ table: "Orders", rows: { changed: 2 } }] } },
      },
      {
        tool: "update_records",
        args: inOrders({ filter: { Status: { eq: "open" } }, fields: { Status: "sent" }, maxRows: 2 }),
        gives: { ids: [1, 3] },
      },
    ],
    orders: ORDERS.map((order) => ({ ...order, Status: "sent" })),
  },
  {
    goal: "Bring the list of customers up to date, twice without duplicates",
    steps: [1, 2].map((round) => ({
      tool: "upsert_records",
      args: inStock({
        table: "Customers",
        records: [
          { require: { Name: "Acme" }, fields: { City: "Bergen" } },
          { require: { Name: "Crux" }, fields: { City: "Lyon" } },
        ],
      }),
      gives: round === 1 ? { added: [3], updated: [1] } : { added: [], updated: [1, 3] },
    })),
    customers: [
      { Name: "Acme", City: "Bergen" },
      { Name: "Bolt", City: "Rome" },
      { Name: "Crux", City: "Lyon" },
    ],
  },
  {
    goal: "Delete what was sent, after a look at what would be deleted",
    steps: [
      {
        tool: "delete_records",
        args: inOrders({ filter: { Status: { eq: "sent" } }, dryRun: true }),
        gives: {
          wouldChange: { tables: [{ table: "Orders", rows: { removed: 1 }, removed: [{ fields: { Item: "Salt" } }] }] },
        },
      },
      { tool: "delete_records", args: inOrders({ ids: [2] }), gives: { isDeleted: true } },
    ],
    orders: [ORDERS[0] ?? {}, ORDERS[2] ?? {}],
  },
  {
    goal: "Add a table for suppliers, rename a column, and add a choice",
    steps: [
      {
        tool: "change_schema",
        args: inStock({
          action: "add_table",
          table: "Suppliers",
          columns: [
            { id: "Name", type: "Text" },
            { id: "Rating", type: "Choice", choices: ["good", "bad"] },
          ],
        }),
        gives: { table: "Suppliers" },
      },
      {
        tool: "change_schema",
        args: inOrders({ action: "modify_columns", columns: [{ id: "Qty", newId: "Pieces", label: "Pieces" }] }),
        gives: { table: "Orders" },
      },
      {
        tool: "change_schema",
        args: inOrders({ action: "modify_columns", columns: [{ id: "Status", choices: ["open", "sent", "lost"] }] }),
        gives: { table: "Orders" },
      },
      {
        tool: "change_schema",
        args: inOrders({ action: "delete_column", columns: [{ id: "Ordered" }], dryRun: true }),
        gives: { wouldChange: { schema: { columns: { removed: [{ table: "Orders", column: "Ordered" }] } } } },
      },
      {
        tool: "describe_document",
        args: inStock(),
        gives: {
          tables: [
            { id: "Table1" },
            { id: "Customers" },
            {
              id: "Orders",
              columns: [
                { id: "Item" },
                { id: "Pieces" },
                { id: "Customer" },
                { id: "Ordered" },
                { id: "Status", choices: ["open", "sent", "lost"] },
                { id: "Double", formula: "$Pieces * 2" },
              ],
            },
            { id: "Suppliers", columns: [{ id: "Name" }, { id: "Rating", choices: ["good", "bad"] }] },
          ],
        },
      },
    ],
  },
  {
    goal: "Add a column with a formula, which is tried first",
    steps: [
      {
        tool: "write_formula",
        args: inOrders({ column: "Share", formula: "10 / ($Qty - 2)", type: "Numeric" }),
        gives: { isApplied: false, errors: [{ type: "ZeroDivisionError", rows: 1 }] },
      },
      {
        tool: "write_formula",
        args: inOrders({ column: "Share", formula: "10 / $Qty", type: "Numeric", apply: true }),
        gives: { isApplied: true, column: "Share", errors: [] },
      },
    ],
    orders: [{ Share: 2 }, { Share: 5 }, { Item: "Rice" }],
  },
  {
    goal: "See who changed the document, and with which key",
    steps: [
      { tool: "update_records", args: inOrders({ records: [{ id: 1, fields: { Qty: 6 } }] }), gives: { ids: [1] } },
      {
        tool: "list_history",
        args: inStock({ limit: 1 }),
        gives: {
          changes: [
            {
              user: { email: "olga@example.com" },
              key: { id: expect.any(Number) },
              tables: [{ table: "Orders", updated: 1 }],
            },
          ],
        },
      },
    ],
  },
  {
    goal: "Say why a cell has its value, and why another has an error",
    steps: [
      {
        tool: "explain_cell",
        args: inOrders({ row: 1, column: "Double" }),
        gives: {
          kind: "formula",
          formula: "$Qty * 2",
          cell: { text: "10" },
          reads: { cells: [{ table: "Orders", row: 1, column: "Qty", text: "5" }] },
        },
      },
      {
        tool: "write_formula",
        args: inOrders({ column: "Double", formula: "10 / ($Qty - 2)", apply: true, allowErrors: true }),
        gives: { isApplied: true },
      },
      {
        tool: "explain_cell",
        args: inOrders({ row: 2, column: "Double" }),
        gives: { error: { type: "ZeroDivisionError", remedy: expect.any(String) } },
      },
    ],
  },
  {
    goal: "Undo my changes of today, after a look at the plan",
    steps: [
      { tool: "list_history", args: inStock({ limit: 1 }), gives: { changes: [{}] } },
      { tool: "update_records", args: inOrders({ records: [{ id: 1, fields: { Qty: 50 } }] }), gives: { ids: [1] } },
      { tool: "add_records", args: inOrders({ records: [{ Item: "Oil" }] }), gives: { ids: [4] } },
      { tool: "delete_records", args: inOrders({ ids: [2] }), gives: { isDeleted: true } },
      {
        tool: "undo_my_changes",
        args: sinceFirst,
        gives: {
          isApplied: false,
          counts: { cells: 1, removedRows: 1, restoredRows: 1, conflicts: 0 },
          cells: [{ table: "Orders", row: 1, column: "Qty", from: 50, to: 5 }],
        },
      },
      {
        tool: "undo_my_changes",
        args: (scene) => ({ ...sinceFirst(scene), planId: scene.results[4].planId }),
        gives: { isApplied: true, state: expect.any(Number) },
      },
    ],
    orders: ORDERS,
  },
  {
    goal: "Undo my changes, of which another user has changed one: a conflict",
    steps: [
      { tool: "list_history", args: inStock({ limit: 1 }), gives: { changes: [{}] } },
      {
        tool: "update_records",
        args: inOrders({ filter: { id: { in: [1, 2] } }, fields: { Qty: 50 } }),
        gives: { ids: [1, 2] },
      },
      {
        by: "editor",
        request: ({ stock }) => ["PATCH", `/api/docs/${stock}/tables/Orders/records/1`, { fields: { Qty: 51 } }],
      },
      {
        tool: "undo_my_changes",
        args: sinceFirst,
        gives: {
          counts: { cells: 1, conflicts: 1 },
          conflicts: [{ table: "Orders", row: 1, column: "Qty", reason: "changed_since" }],
          next: expect.stringContaining("conflicts are left alone"),
        },
      },
      {
        tool: "undo_my_changes",
        args: (scene) => ({ ...sinceFirst(scene), planId: scene.results[2].planId }),
        gives: { isApplied: true, counts: { cells: 1, conflicts: 1 } },
      },
    ],
    orders: [{ Qty: 51 }, { Qty: 2 }, { Qty: 7 }],
  },
];
