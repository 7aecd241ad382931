import { type ChangeLimits, withChangeBudget } from "../../formula/runtime/budget.ts";
import { withContext } from "../../formula/runtime/evaluation-context.ts";
import { errorText } from "../../formula/error-descriptions.ts";
import { quote } from "../../sqlite/quote.ts";
import { errorNameOf, isErrorCell } from "../../values/cell.ts";
import { Change } from "../actions/change.ts";
import type { OpenDocument } from "../document.ts";
import { SYSTEM_USER } from "../user-info.ts";
import { calculationFor } from "./calculation-cache.ts";
import { isHiddenColumn } from "../schema.ts";
import type { ColumnNode, TableNode } from "./nodes.ts";
import { formulaEnvironmentOf } from "./formula-environment.ts";

/** A cell whose formula failed. */
export interface FormulaError {
  readonly table: string;
  readonly column: string;
  readonly row: number;
  /** `ZeroDivisionError` */
  readonly error: string;
  /** The error in the terms of spreadsheet users. */
  readonly message: string;
  /** The Python error message; null when the formula no longer fails, or the error has another origin. */
  readonly detail: string | null;
  /** The line of the formula, from 1; null when `detail` is null or the line is unknown. */
  readonly line: number | null;
}

/** A column whose formula cannot be parsed, so that it fails in every present and future row. */
export interface BrokenColumn extends Omit<FormulaError, "row" | "detail"> {
  readonly detail: string;
}

export interface FormulaErrors {
  readonly formulas: readonly BrokenColumn[];
  readonly errors: readonly FormulaError[];
}

export interface FormulaErrorsQuery {
  /** Restricts the search to the table with this id. */
  readonly table?: string | undefined;
  /** Restricts the search to columns with this id, in any table. */
  readonly column?: string | undefined;
  readonly limit: number;
}

/**
 * Returns the columns whose formulas cannot be parsed, and at most `limit` cells whose formulas failed, in the order of
 * tables, columns and rows, hidden columns last.
 */
export function findFormulaErrors(document: OpenDocument, query: FormulaErrorsQuery): FormulaErrors {
  const { limit } = query;
  const nowMs = document.clock.now();
  const change = new Change(document, { parse: false, user: SYSTEM_USER, nowMs });
  const { calculation } = calculationFor(change, { isReplayed: false });
  const errors: FormulaError[] = [];
  const formulas: BrokenColumn[] = [];
  const environment = formulaEnvironmentOf(document, nowMs);
  const explain = (column: ColumnNode, { row, error }: FailedCell) => {
    const explained = calculation.evaluation.explain(column, row);
    return explained?.error === error ? explained : undefined;
  };
  const collectErrors = () => {
    for (const { table, column } of formulaColumns(calculation.tables.values(), query)) {
      const broken = column.formula?.broken;
      if (broken) {
        const { error, detail, line } = broken;
        formulas.push({ table: table.id, column: column.id, error, message: errorText(error), detail, line });
      }
      for (const { row, error } of failedCells(document, table, { column, limit: limit - errors.length })) {
        const { detail = null, line = null } = explain(column, { row, error }) ?? {};
        const message = errorText(error);
        errors.push({ table: table.id, column: column.id, row, error, message, detail, line });
      }
    }
  };
  withChangeBudget(explainingLimits(document), () => withContext(environment, collectErrors));
  calculation.finish();
  return { formulas, errors };
}

/** Total budget for re-evaluating failed formulas; errors beyond it are listed without `detail`. */
const explainingLimits = ({ formulaLimits, clock }: OpenDocument): ChangeLimits => ({
  ...formulaLimits,
  change: { steps: 100_000_000, bytes: 1024 ** 3, timeMs: 2000 },
  elapsed: () => clock.elapsed(),
});

interface FailedCell {
  readonly row: number;
  readonly error: string;
}

/** Returns hidden columns last: they repeat the errors of other columns and would use up the limit. */
function formulaColumns(
  tables: Iterable<TableNode>,
  { table: onlyTable, column: id }: FormulaErrorsQuery,
): { table: TableNode; column: ColumnNode }[] {
  const all = [...tables]
    .filter((table) => onlyTable === undefined || table.id === onlyTable)
    .flatMap((table) => table.formulas.map((column) => ({ table, column })))
    .filter(({ column }) => id === undefined || column.id === id);
  return all.toSorted((a, b) => Number(isHiddenColumn(a.column.id)) - Number(isHiddenColumn(b.column.id)));
}

/** The marshalled prefix of `["E", …]`, from the byte after the element count. */
const ERROR_CODE = new Uint8Array([0x75, 1, 0, 0, 0, 0x45]);

function failedCells(
  { db }: OpenDocument,
  table: TableNode,
  { column, limit }: { column: ColumnNode; limit: number },
): FailedCell[] {
  if (limit <= 0 || !table.stored) return [];
  const name = quote(column.id);
  const rows = db.values(
    `select id, ${name} from ${quote(table.id)} where typeof(${name}) = 'blob' and substr(${name}, 6, 6) = ? order by id limit ?`,
    ERROR_CODE,
    limit,
  );
  return rows.flatMap(([id, stored = null]) => {
    const cell = column.kind.decodeRaw(stored);
    return isErrorCell(cell) ? [{ row: Number(id), error: errorNameOf(cell) }] : [];
  });
}
