import type { DocumentGrant } from "../../authorization.ts";
import { notFound } from "../../errors.ts";
import { errorRemedy, errorText } from "../../formula/error-descriptions.ts";
import { errorNameOf, isErrorCell } from "../../values/cell.ts";
import type { OpenDocument } from "../document.ts";
import type { Calculation } from "../formulas/calculation.ts";
import type { ColumnNode } from "../formulas/nodes.ts";
import { seesEverything, visibilityFor } from "../read/visibility-filter.ts";
import { type ColumnInfo, isHiddenColumn } from "../schema.ts";
import { userInfo } from "../user-info.ts";
import { cellAccess } from "./cell-access.ts";
import { dependentsOf } from "./dependents.ts";
import { type ErrorSource, findErrorSource } from "./error-source.ts";
import type { CellExplanation, ShownError } from "./explanation.ts";
import { readingRules } from "./reading-rules.ts";
import { ReadableCells } from "./readable-cells.ts";
import { ShownCells } from "./shown-cells.ts";
import { readableMentions } from "./static-mentions.ts";
import type { CellRead, Trace } from "./trace.ts";
import type { Tracer } from "./tracer.ts";
import { withTracer } from "./with-tracer.ts";

export interface ExplainedCell {
  readonly table: string;
  readonly row: number;
  readonly column: string;
  /** Maximum number of cells and of look-ups to list. */
  readonly limit: number;
}

/** Total budget of an explanation; beyond it, cells are not counted. */
const BUDGET = { steps: 100_000_000, bytes: 1024 ** 3, timeMs: 2000 };

/**
 * Explains a cell: what its formula reads, what it costs, what depends on it, and what the caller may do with it.
 * Evaluates formulas, and writes nothing.
 * @throws AppError `notFound`, alike for a cell that does not exist and one that the caller cannot read
 */
export function explainCell(document: OpenDocument, grant: DocumentGrant, asked: ExplainedCell): CellExplanation {
  const visibility = visibilityFor(document, grant);
  const cells = new ReadableCells(visibility);
  const info = cells.columns(asked.table)?.columnById.get(asked.column);
  if (!info || info.isHidden || cells.cell(asked.table, asked.row, asked.column) === undefined) throw cellNotFound();
  const isRestricted = !seesEverything(visibility.rules);
  const tracing = { actor: userInfo(grant), readable: isRestricted ? cells : null, budget: BUDGET };
  return withTracer(document, tracing, (tracer) => {
    const { calculation } = tracer;
    const column = calculation.tables.get(asked.table)?.columns.get(asked.column);
    if (!column) throw cellNotFound();
    return explanationOf(document, grant, { asked, info, column, cells, calculation, tracer, isRestricted });
  });
}

/** The same for all reasons: nothing tells a missing cell from a hidden one. */
const cellNotFound = () => notFound("Cell not found", "cell.not_found");

interface Explaining {
  readonly asked: ExplainedCell;
  readonly info: ColumnInfo;
  readonly column: ColumnNode;
  readonly cells: ReadableCells;
  readonly calculation: Calculation;
  readonly tracer: Tracer;
  readonly isRestricted: boolean;
}

function explanationOf(
  document: OpenDocument,
  grant: DocumentGrant,
  { asked, info, column, cells, calculation, tracer, isRestricted }: Explaining,
): CellExplanation {
  const { schema } = document;
  const { rules } = cells.visibility;
  const target: CellRead = { column, row: asked.row };
  const shown = new ShownCells(document, cells);
  const trace = column.formula ? tracer.trace(column, asked.row, { line: true }) : groupTrace(target, tracer);
  const mentioned = trace?.isStopped ? readableMentions(target, cells, calculation) : [];
  const reads = trace ? { ...trace, cells: distinct([...trace.cells, ...mentioned]) } : NOTHING_READ;
  const isTraced = trace !== null && column.formula !== undefined && !trace.isStopped;
  const source = trace && column.formula ? findErrorSource(target, trace, tracer) : NO_SOURCE;
  const dependents = dependentsOf(target, { schema, calculation, cells, isRestricted, tracer });
  return {
    cell: shown.cell(target),
    kind: kindOf(info, column),
    formula: info.formula === "" ? null : info.formula,
    summaryOf: summaryOf(info, cells),
    trigger: triggerOf(info, column, cells),
    error: errorOf(target, { cells, trace, source, shown }),
    reads: shown.reads(reads, asked.limit),
    cost: isTraced ? { steps: Math.max(1, Math.round(trace.steps)), time: timeClass(trace.steps) } : null,
    dependents: {
      columns: dependents.map((dependent) => ({
        ...dependent,
        label: shown.label(dependent.table, dependent.column),
      })),
      rules: grant.role === "owners" && rules?.maySeeAccessRules !== false ? readingRules(document, target) : [],
    },
    access: cellAccess(document, grant, { ...asked, rules: document.accessOf(userInfo(grant)) }),
  };
}

const NOTHING_READ: Pick<Trace, "cells" | "lookups" | "clock" | "user"> = {
  cells: [],
  lookups: [],
  clock: false,
  user: [],
};
const NO_SOURCE: ErrorSource = { origin: null, cycle: [] };

/** The cell of a summary's group-by column follows from the rows of its group. */
function groupTrace({ column, row }: CellRead, tracer: Tracer): Trace | null {
  const summary = tracer.calculation.graph.summaries.get(column.table);
  return summary?.groups.some(({ own }) => own === column) ? tracer.traceGroup(column, row) : null;
}

function distinct(cells: readonly CellRead[]): CellRead[] {
  const seen = new Set<string>();
  return cells.filter(({ column, row }) => {
    const key = JSON.stringify([column.table.id, column.id, row]);
    return !seen.has(key) && seen.add(key);
  });
}

function kindOf({ summarySourceCol }: ColumnInfo, { column, trigger }: ColumnNode): CellExplanation["kind"] {
  if (summarySourceCol > 0) return "summary";
  if (trigger) return "trigger";
  return column.isFormula ? "formula" : "data";
}

function summaryOf({ tableRef }: ColumnInfo, cells: ReadableCells): string | null {
  const { tableByRef } = cells.visibility.document.schema;
  const source = tableByRef.get(tableByRef.get(tableRef)?.summarySourceTable ?? 0);
  return source && cells.table(source.id) ? source.id : null;
}

function triggerOf(
  { recalcDeps, recalcWhen, tableRef }: ColumnInfo,
  { trigger }: ColumnNode,
  cells: ReadableCells,
): CellExplanation["trigger"] {
  if (!trigger) return null;
  const { columnByRef, tableByRef } = cells.visibility.document.schema;
  const table = tableByRef.get(tableRef)?.id ?? "";
  const watched = (recalcDeps ?? []).flatMap((ref) => columnByRef.get(ref) ?? []);
  return {
    when: recalcWhen === 0 ? "changes" : recalcWhen === 1 ? "never" : "everyEdit",
    columns: watched
      .filter(({ id }) => !isHiddenColumn(id) && cells.field(table, id))
      .map(({ id, label }) => ({ column: id, label: label || id })),
  };
}

function errorOf(
  { column, row }: CellRead,
  {
    cells,
    trace,
    source,
    shown,
  }: { cells: ReadableCells; trace: Trace | null; source: ErrorSource; shown: ShownCells },
): ShownError | null {
  const value = cells.cell(column.table.id, row, column.id) ?? null;
  if (!isErrorCell(value)) return null;
  const type = errorNameOf(value);
  const isSame = trace?.error?.type === type;
  return {
    type,
    message: errorText(type),
    remedy: errorRemedy(type),
    detail: isSame ? (trace.error?.detail ?? null) : null,
    line: isSame ? (trace.error?.line ?? null) : null,
    origin: isSame && source.origin ? shown.name(source.origin) : null,
    cycle: isSame ? source.cycle.map((cell) => shown.name(cell)) : [],
  };
}

/** A step is about 20 ns: the limits are about 2 ms and 100 ms. */
const MODERATE_STEPS = 100_000;
const SLOW_STEPS = 5_000_000;

const timeClass = (steps: number): "fast" | "moderate" | "slow" =>
  steps < MODERATE_STEPS ? "fast" : steps < SLOW_STEPS ? "moderate" : "slow";
