import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseFunctionTables } from "../../../src/web/base/function-list.ts";
import type { FormulaSchema, SchemaTable } from "../../../src/web/pages/table/client/formula/formula-schema.ts";

const table = (
  id: string,
  title: string,
  columns: Readonly<Record<string, readonly string[]>>,
): [string, SchemaTable] => [
  id,
  {
    id,
    title,
    columns: Object.entries(columns).map(([column, [label = "", type = ""]]) => ({ id: column, label, type })),
  },
];

/** A caret is written as `|`. */
export const caretIn = (text: string): [text: string, caret: number] => [text.replace("|", ""), text.indexOf("|")];

export const SCHEMA: FormulaSchema = {
  table: "Orders",
  tables: new Map([
    table("Orders", "Orders", {
      Customer: ["Customer", "Ref:Customers"],
      Amount: ["Total amount", "Numeric"],
      Lines: ["Lines", "RefList:Lines"],
    }),
    table("Customers", "All customers", { Name: ["Full name", "Text"], Company: ["Company", "Ref:Companies"] }),
    table("Companies", "Companies", { City: ["City", "Text"] }),
    table("Lines", "Lines", { Price: ["Price", "Numeric"], Item: ["Item", "Ref:Companies"] }),
    table("Hostile", `<img class="was-made">`, { constructor: [`"><script>window.wasRun=1</script>`, "Text"] }),
  ]),
  functions: parseFunctionTables(readFileSync(join(import.meta.dir, "../../../docs/functions.md"), "utf8")),
};
