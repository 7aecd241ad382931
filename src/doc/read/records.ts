import type { Source } from "../cursors.ts";
import { type CellForm, recordMaker, storedColumns, type RecordJson } from "./cells.ts";
import { Portions } from "./portions.ts";
import { RowScan, type Row, type Selection } from "./rows.ts";
import type { ReadTable } from "./table.ts";

export interface RecordForm {
  readonly hidden: boolean;
  readonly cells: CellForm;
}

/** What turns rows of a table into records: made once for the columns as they are. */
interface Plan {
  readonly columns: readonly string[];
  readonly make: (row: Row) => RecordJson;
}

const plans = new WeakMap<ReadTable["fields"], Map<string, Plan>>();

/** The pieces of `{"records": [{id, fields, errors?}, …], total?}`; `source.db` may be exchanged between two of them. */
export function* recordPieces(
  source: Source,
  table: ReadTable,
  { form, selection }: { form: RecordForm; selection: Selection },
): Generator<string, void> {
  const { columns, make } = findPlan(table, form);
  const scan = new RowScan(source, { table, columns, selection });
  const portions = new Portions();
  let separator = '{"records":[';
  for (let rows = scan.take(portions.size); rows.length > 0; rows = scan.take(portions.size)) {
    const text = JSON.stringify(rows.map(make));
    portions.measured(rows.length, text.length);
    yield separator + text.slice(1, -1);
    separator = ",";
  }
  const { total } = selection;
  const end = total === undefined ? "]}" : `],"total":${total}}`;
  yield separator === "," ? end : separator + end;
}

function findPlan({ fields: all }: ReadTable, { hidden, cells }: RecordForm): Plan {
  let known = plans.get(all);
  if (!known) {
    known = new Map();
    plans.set(all, known);
  }
  const name = `${cells} ${hidden}`;
  let plan = known.get(name);
  if (!plan) {
    const fields = all.filter((field) => hidden || !field.isHidden);
    plan = { columns: storedColumns(fields), make: recordMaker(fields, cells) };
    known.set(name, plan);
  }
  return plan;
}
