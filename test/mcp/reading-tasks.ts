/** Tasks that only read. */
import { inOrders, inStock, type Scene, type Task } from "./task.ts";

export const READING_TASKS: readonly Task[] = [
  {
    goal: "Find the document about stock, and see what is in it",
    steps: [
      {
        tool: "find_documents",
        args: (scene) => ({ query: scene.stockName }),
        gives: { documents: [{ access: "owners" }] },
      },
      {
        tool: "describe_document",
        args: ({ results }) => ({ document: results[0].documents[0].id, table: "Orders" }),
        gives: {
          document: { role: "owners" },
          tables: [
            {
              id: "Orders",
              columns: [
                { id: "Item", type: "Text" },
                { id: "Qty", label: "Quantity", type: "Int" },
                { id: "Customer", type: "Ref:Customers" },
                { id: "Ordered", type: "Date" },
                { id: "Status", choices: ["open", "sent"] },
                { id: "Double", isFormula: true, formula: "$Qty * 2" },
              ],
            },
          ],
        },
      },
    ],
  },
  {
    goal: "Find the rows about rice",
    steps: [
      {
        tool: "search_rows",
        args: (scene) => ({ document: scene.stockName, query: "rice" }),
        gives: { results: [{ table: "Orders", row: 1, column: "Item", excerpt: "Rice" }, { row: 3 }] },
      },
    ],
  },
  {
    goal: "List the open orders of customers in Rome, with dates and names",
    steps: [
      {
        tool: "query_records",
        args: inOrders({
          filter: { "Customer.City": { eq: "Rome" }, Status: { eq: "open" } },
          fields: ["Item", "Ordered", "Customer.Name"],
        }),
        gives: {
          records: [{ id: 3, fields: { Item: "Rice", Ordered: "2026-04-03", "Customer.Name": "Bolt" } }],
          next: null,
        },
      },
    ],
  },
  {
    goal: "Read all orders page by page, the largest first",
    steps: [
      {
        tool: "query_records",
        args: inOrders({ fields: ["Qty"], sort: ["-Qty"], limit: 2 }),
        gives: { records: [{ fields: { Qty: 7 } }, { fields: { Qty: 5 } }] },
      },
      {
        tool: "query_records",
        args: ({ stock, results }) => ({
          ...inOrders({ fields: ["Qty"], sort: ["-Qty"], limit: 2 })({ stock } as Scene),
          cursor: results[0].next,
        }),
        gives: { records: [{ fields: { Qty: 2 } }], next: null },
      },
    ],
  },
  {
    goal: "Count orders and pieces for each item",
    steps: [
      {
        tool: "aggregate_records",
        args: inOrders({ groupBy: ["Item"], measures: { orders: "count", pieces: { sum: "Qty" } }, sort: ["-pieces"] }),
        gives: {
          groups: [
            { Item: "Rice", orders: 2, pieces: 12 },
            { Item: "Salt", orders: 1, pieces: 2 },
          ],
          total: 2,
        },
      },
    ],
  },
  {
    goal: "Sum pieces by city, over two tables",
    steps: [
      {
        tool: "query_sql",
        args: inStock({
          sql: "select City, sum(Qty) as pieces from Orders join Customers on Customers.id = Customer where Qty > ? group by City order by City",
          args: [1],
        }),
        gives: {
          rows: [
            { City: "Oslo", pieces: 5 },
            { City: "Rome", pieces: 9 },
          ],
        },
      },
    ],
  },
];
