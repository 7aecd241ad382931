/** Checks a formula that is not stored, and computes its result for a row. Writes nothing. */
import type { DocumentGrant } from "../../authorization.ts";
import { notFound } from "../../errors.ts";
import { findNameProblems, type NameProblem } from "../../formula/check/name-problems.ts";
import { syntaxErrorSpan } from "../../formula/check/problem-spans.ts";
import { compileFormula, lineOf } from "../../formula/formula.ts";
import { pythonToCell } from "../../formula/python-to-cell.ts";
import { PyError } from "../../formula/runtime/errors.ts";
import { checkResultSize } from "../../formula/runtime/result-size.ts";
import { errorText } from "../../formula/error-descriptions.ts";
import type { CellValue } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import type { OpenDocument } from "../document.ts";
import { ColumnNode, type TableNode } from "../formulas/nodes.ts";
import { seesEverything, visibilityFor } from "../read/visibility-filter.ts";
import type { TableInfo } from "../schema.ts";
import { userInfo } from "../user-info.ts";
import { ReadableCells } from "../why/readable-cells.ts";
import { Stopped } from "../why/trace.ts";
import type { Tracer } from "../why/tracer.ts";
import { withTracer } from "../why/with-tracer.ts";
import { resultText } from "./result-text.ts";

export interface CheckedFormula {
  /** Table id, or its numeric reference as digits. */
  readonly table: string;
  readonly formula: string;
  /** The column of the formula; absent for a new one and for conditional styles. */
  readonly column?: string | undefined;
  /** The row of the result; absent for none. */
  readonly row?: number | undefined;
  /** True for the trigger formula of a data column. */
  readonly isTrigger: boolean;
}

export type FormulaProblem =
  | NameProblem
  | {
      readonly kind: "syntax";
      readonly from: number;
      readonly to: number;
      readonly error: string;
      readonly message: string;
      readonly detail: string;
    };

export type FormulaResult =
  | { readonly kind: "value"; readonly value: CellValue; readonly text: string }
  | {
      readonly kind: "error";
      readonly error: string;
      readonly message: string;
      readonly detail: string;
      readonly line: number | null;
    }
  /** The formula reads what the caller cannot read, or the row is not there for them. */
  | { readonly kind: "unknown" };

export interface FormulaCheck {
  readonly problems: readonly FormulaProblem[];
  /** Null without a row, and for a formula with problems. */
  readonly result: FormulaResult | null;
}

/** The page asks again at every pause of typing, so that a check takes far less than a change may. */
const BUDGET = { steps: 50_000_000, bytes: 512 * 1024 ** 2, timeMs: 1000 };

/**
 * Checks a formula. Tables and columns that are hidden from the caller are the same as missing ones, and the result is
 * unknown where it depends on a cell that they cannot read.
 * @throws AppError `notFound` for a table or column that does not exist, or that the caller cannot read
 */
export function checkFormula(document: OpenDocument, grant: DocumentGrant, asked: CheckedFormula): FormulaCheck {
  const visibility = visibilityFor(document, grant);
  const table = visibility.userTable(asked.table);
  const cells = new ReadableCells(visibility);
  const column = asked.column === undefined ? undefined : table.columnById.get(asked.column);
  if (asked.column !== undefined && !column) throw notFound(`Column not found: ${asked.column}`);
  const { isTrigger } = asked;
  const tableById = new Map(visibility.tables().map((each) => [each.id, each] as const));
  const trace = { offset: 0 };
  const formula = compileFormula(asked.formula, { isTable: (name) => tableById.has(name), isTrigger, trace });
  if (formula.broken) return { problems: [syntaxProblem(asked.formula, formula.broken)], result: null };
  if (formula.blank) return { problems: [], result: null };
  const problems = findNameProblems({ formula, table: table.id, tables: { tableById }, isTrigger });
  if (problems.length > 0 || asked.row === undefined) return { problems, result: null };
  const readable = seesEverything(visibility.rules) ? null : cells;
  const compute = (tracer: Tracer): FormulaResult => {
    if (!isReadable(cells, table, asked)) return UNKNOWN;
    const node = nodeOf(tracer.calculation.table(table.id), column?.id, document);
    try {
      const cell = pythonToCell(tracer.evaluate(formula, node, asked.row ?? 0), node.kind);
      checkResultSize(cell);
      return { kind: "value", value: cell, text: resultText(document, cells, { cell, column, type: node.kind }) };
    } catch (thrown) {
      if (thrown instanceof Stopped) return UNKNOWN;
      if (!(thrown instanceof PyError)) throw thrown;
      const { typeName: error, message: detail } = thrown;
      return { kind: "error", error, message: errorText(error), detail, line: lineOf(formula.text, trace.offset) };
    }
  };
  return { problems, result: withTracer(document, { actor: userInfo(grant), readable, budget: BUDGET }, compute) };
}

const NEW_COLUMN = { id: "", type: "Any", isFormula: true, formula: "", isStored: false, kind: columnType("Any") };

const UNKNOWN = { kind: "unknown" } as const;

/** A trigger formula may read the former value of its cell. */
const isReadable = (cells: ReadableCells, { id }: TableInfo, { row = 0, column, isTrigger }: CheckedFormula): boolean =>
  cells.row(id, row) !== null && (!isTrigger || column === undefined || cells.cell(id, row, column) !== undefined);

/** The column that is evaluated: one without a name for a formula that has none yet. */
function nodeOf(table: TableNode, id: string | undefined, { timezone }: OpenDocument): ColumnNode {
  const known = id === undefined ? undefined : table.columns.get(id);
  return known ?? new ColumnNode(table, NEW_COLUMN, { timezone });
}

function syntaxProblem(
  formula: string,
  { error, detail, line }: { error: string; detail: string; line: number | null },
): FormulaProblem {
  return { kind: "syntax", ...syntaxErrorSpan(formula, line), error, message: errorText(error), detail };
}
