/** Tasks that go wrong: the refusal says what to do next. */
import { expect } from "bun:test";
import { inOrders, inStock, ORDERS, sinceFirst, type Task } from "./task.ts";

export const REFUSED_TASKS: readonly Task[] = [
  {
    goal: "Refused: describe the budget, of which there are two",
    steps: [
      {
        tool: "describe_document",
        args: () => ({ document: "Budget" }),
        gives: {
          code: "document.ambiguous",
          details: { candidates: expect.arrayContaining([expect.objectContaining({ workspace: "Private" })]) },
        },
        refusedWith: "details.candidates",
      },
      {
        tool: "describe_document",
        args: ({ results }) => ({
          document: results[0].details.candidates.find(
            ({ workspace }: { workspace: string }) => workspace === "Private",
          ).id,
        }),
        gives: { document: { name: "Budget" } },
      },
    ],
  },
  {
    goal: "Refused: filter by the label of a column",
    steps: [
      {
        tool: "query_records",
        args: inOrders({ filter: { Quantity: { gt: 5 } } }),
        gives: {
          code: "column.unknown",
          details: { columns: expect.arrayContaining([{ id: "Qty", label: "Quantity" }]) },
        },
        refusedWith: "ids of columns",
      },
      { tool: "query_records", args: inOrders({ filter: { Qty: { gt: 5 } } }), gives: { records: [{ id: 3 }] } },
    ],
  },
  {
    goal: "Refused: read a table that is misspelt",
    steps: [
      {
        tool: "query_records",
        args: inStock({ table: "orders" }),
        gives: { code: "table.not_found", details: { tables: ["Table1", "Customers", "Orders"] } },
        refusedWith: "case-sensitive",
      },
    ],
  },
  {
    goal: "Refused: change an order with a key that only reads",
    limits: { scopes: ["records:read", "schema:read"] },
    steps: [
      {
        tool: "update_records",
        args: inOrders({ records: [{ id: 1, fields: { Qty: 100 } }] }),
        gives: { code: "scope.missing", details: { missingScope: "records:write" } },
        refusedWith: "profile page",
      },
    ],
    orders: ORDERS,
  },
  {
    goal: "Refused: change a document of which the user is a viewer",
    as: "viewer",
    steps: [
      {
        tool: "delete_records",
        args: inOrders({ ids: [1] }),
        gives: { code: "access.edit_denied" },
        refusedWith: "Tell the user",
      },
    ],
    orders: ORDERS,
  },
  {
    goal: "Refused: change more rows than expected",
    steps: [
      {
        tool: "update_records",
        args: inOrders({ filter: { Qty: { gt: 0 } }, fields: { Qty: 0 }, maxRows: 2 }),
        gives: { code: "limit.matched_rows", details: { matchedRows: 3 } },
        refusedWith: "maxRows",
      },
    ],
    orders: ORDERS,
  },
  {
    goal: "Refused: read too many rows at once",
    steps: [
      {
        tool: "query_records",
        args: inOrders({ limit: 100_000 }),
        gives: { code: "arguments.invalid", details: { problems: [{ argument: "limit" }] } },
        refusedWith: "Correct the arguments",
      },
      {
        tool: "query_sql",
        args: inStock({ sql: "select a.id from Orders a, Orders b, Orders c", maxRows: 10 }),
        gives: { rows: Array.from({ length: 10 }, () => ({})), more: expect.stringContaining("27 rows") },
      },
    ],
  },
  {
    goal: "Refused: store a formula that has errors",
    steps: [
      {
        tool: "write_formula",
        args: inOrders({ column: "Double", formula: "10 / ($Qty - 2)", apply: true }),
        gives: { code: "formula.errors", details: { errors: [{ type: "ZeroDivisionError", rows: 1 }] } },
        refusedWith: "allowErrors",
      },
    ],
    orders: [{ Double: 10 }, { Double: 4 }, { Double: 14 }],
  },
  {
    goal: "Refused: apply a plan of an undo that has changed meanwhile",
    steps: [
      { tool: "list_history", args: inStock({ limit: 1 }), gives: { changes: [{}] } },
      {
        tool: "update_records",
        args: inOrders({ filter: { id: { lt: 3 } }, fields: { Qty: 50 } }),
        gives: { ids: [1, 2] },
      },
      { tool: "undo_my_changes", args: sinceFirst, gives: { counts: { cells: 2, conflicts: 0 } } },
      {
        by: "editor",
        request: ({ stock }) => ["PATCH", `/api/docs/${stock}/tables/Orders/records/1`, { fields: { Qty: 51 } }],
      },
      {
        tool: "undo_my_changes",
        args: (scene) => ({ ...sinceFirst(scene), planId: scene.results[2].planId }),
        gives: {
          code: "undo.plan_changed",
          details: { plan: { planId: expect.any(String), conflicts: [{ table: "Orders", row: 1, column: "Qty" }] } },
        },
        refusedWith: "details.plan",
      },
    ],
    orders: [{ Qty: 51 }, { Qty: 50 }, { Qty: 7 }],
  },
];
