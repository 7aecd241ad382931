import { NameReferenceFinder } from "../../../src/formula/names/reference-finder.ts";
import { applyNameReplacement, type NameReplacement } from "../../../src/formula/names/apply-name-replacement.ts";
import type { DocumentTables } from "../../../src/formula/names/walk-context.ts";

type Columns = Record<string, [type: string, formula?: string]>;

function tablesOf(tables: Record<string, Columns>): DocumentTables {
  const columnsOf = (columns: Columns) =>
    Object.entries(columns).map(
      ([id, [type, formula = ""]]) => [id, { type, formula, isFormula: formula !== "" }] as const,
    );
  return {
    tableById: new Map(
      Object.entries(tables).map(([id, columns]) => [id, { columnById: new Map(columnsOf(columns)) }]),
    ),
  };
}

/** Two tables that share column names, and a summary table. */
export const SHOP = tablesOf({
  Clients: {
    Name: ["Text"],
    City: ["Text"],
    Boss: ["Ref:Clients"],
    Friends: ["RefList:Clients"],
    Newest: ["Any", "Orders.lookupOne(Client=rec, order_by='-Day')"],
    Own: ["Any", "Orders.lookupRecords(Client=$id)"],
    Round: ["Any", "$Round"],
    Text: ["Text", "Orders.lookupOne()"],
    Data: ["Any"],
  },
  Orders: {
    Name: ["Text"],
    City: ["Text"],
    Day: ["Date"],
    Client: ["Ref:Clients"],
    Payers: ["RefList:Clients"],
    Before: ["Any", "PREVIOUS(rec, order_by='Day')"],
    Chief: ["Any", "x = $Client\nif not x:\n  return None\nreturn x.Boss"],
  },
  Orders_summary_City: {
    City: ["Text"],
    group: ["RefList:Orders", "table.getSummarySourceGroup(rec)"],
  },
});

/** Returns the tables after a table or column was renamed. */
export function renamedTables(tables: DocumentTables, renaming: NameReplacement): DocumentTables {
  const reader = new NameReferenceFinder(tables);
  const tableById = [...tables.tableById].map(([table, { columnById }]) => {
    const columns = [...columnById].map(([id, { type, formula, isFormula }]) => {
      const own = "column" in renaming && renaming.table === table && renaming.column === id ? renaming.to : id;
      const [base, target] = type.split(":");
      const isTarget = !("column" in renaming) && target === renaming.table;
      return [
        own,
        {
          type: isTarget ? `${base}:${renaming.to}` : type,
          formula: applyNameReplacement(formula, reader.findReferences(formula, table), renaming),
          isFormula,
        },
      ] as const;
    });
    const own = !("column" in renaming) && renaming.table === table ? renaming.to : table;
    return [own, { columnById: new Map(columns) }] as const;
  });
  return { tableById: new Map(tableById) };
}
