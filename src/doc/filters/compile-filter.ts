import type { OpenDocument } from "../document.ts";
import type { ColumnCondition } from "../read/cell-filter.ts";
import { isNative } from "../read/row-counts.ts";
import type { VisibleTable } from "../read/visibility-filter.ts";
import { compileComparison } from "./comparisons.ts";
import { all, any, type Condition, not } from "./condition.ts";
import { todayIn } from "./date-spans.ts";
import { FilterBudget } from "./filter-budget.ts";
import { type FilterTable, findField } from "./filter-table.ts";
import { listFormCondition } from "./list-form.ts";
import { type Filter, type FilterNode, tooComplex } from "./parse-filter.ts";
import type { RowTest } from "./row-test.ts";
import { findTargets, refersTo, targetTable, unknownColumn } from "./reference-targets.ts";
import { allOf, type SqlCondition } from "./sql-condition.ts";

/**
 * A filter compiled for a table as the caller sees it, for the duration of one request. Rows match if they satisfy
 * `where` and pass `test`.
 */
export interface CompiledFilter {
  /** In parentheses. */
  readonly where: SqlCondition;
  readonly test: RowTest;
  /** Cells among which are those of all matching rows, for indexes. */
  readonly lookups: readonly ColumnCondition[];
  /**
   * Returns the condition that exactly the matching rows satisfy; null when SQLite cannot decide. It compares cells as
   * they are stored: callers who do not see all cells of all rows need `test`.
   * @param countedWith the rows that satisfy this condition as well will be counted; null for none
   */
  exactWhere(countedWith?: SqlCondition | null): SqlCondition | null;
}

/** References that the path to a column may follow. */
export const MAX_REFERENCES = 3;

/**
 * Compiles a filter for a table and a caller.
 * @throws AppError `invalid` for an unknown column, and for operators and operands that do not fit a column
 */
export function compileFilter(document: OpenDocument, visible: VisibleTable, filter: Filter): CompiledFilter {
  const budget = new FilterBudget(document.clock);
  const table = { document, visible, budget, compile: compileComparison };
  const condition = budget.spend(() => compileNode(table, filter.root));
  const { upper, exact, nativeColumns, lookups } = condition;
  return {
    where: allOf([upper]),
    lookups,
    test: {
      key: keyOf(document, filter),
      columns: [...condition.columns],
      isExact: exact !== null && nativeColumns.size === 0,
      budget,
      matches: (cells) => condition.matches(cells) === true,
    },
    exactWhere: (countedWith = null) => {
      if (!exact) return null;
      const where = allOf([exact]);
      const counted = countedWith && allOf([countedWith, where]);
      return isNative(document, visible.table, { columns: nativeColumns, counted }) ? where : null;
    },
  };
}

/** Returns a text that is equal for filters with the same result in the same state of a document. */
export const keyOf = (document: OpenDocument, { key, dependsOnDate }: Filter): string =>
  dependsOnDate ? `${key} ${currentDay(document)}` : key;

/** Returns the current day in the document's zone, as seconds of its midnight in UTC. */
export const currentDay = ({ timezone, clock }: OpenDocument): number => todayIn(timezone, clock.now());

function compileNode(table: FilterTable, node: FilterNode): Condition {
  switch (node.kind) {
    case "all":
      return all(node.parts.map((part) => compileNode(table, part)));
    case "any":
      return any(node.parts.map((part) => compileNode(table, part)));
    case "not":
      return not(compileNode(table, node.part));
    case "list":
    case "comparison":
      return compileColumn(table, node);
    default:
      return node satisfies never;
  }
}

type ColumnNode = Extract<FilterNode, { kind: "list" | "comparison" }>;

/** Compiles a condition on a column or on a path that leads to one, such as `Customer.City`. */
function compileColumn(table: FilterTable, node: ColumnNode): Condition {
  const steps = table.visible.table.fieldById.has(node.column) ? [node.column] : node.column.split(".");
  if (steps.length > MAX_REFERENCES + 1)
    throw tooComplex(`${node.column} must follow at most ${MAX_REFERENCES} references`);
  return compilePath(table, steps, node);
}

function compilePath(table: FilterTable, [step = "", ...rest]: readonly string[], node: ColumnNode): Condition {
  const field = findField(table.visible.table, step);
  if (field === undefined) throw unknownColumn(node.column);
  if (rest.length === 0) {
    if (node.kind === "list") return listFormCondition(field, node.allowed);
    const { column, operator, operand } = node;
    return compileComparison({ table, field, name: { column, operator }, operand });
  }
  const target = field && targetTable(table, field);
  if (!field || !target) throw unknownColumn(node.column);
  const anyTarget = (part: ColumnNode, wrap: (condition: Condition) => Condition = (one) => one): Condition =>
    refersTo(field, findTargets(target, wrap(compilePath(target, rest, part))));
  if (node.kind === "comparison") {
    // The path is empty where there is no target, too.
    if (node.operator === "empty" && node.operand === true) return not(anyTarget({ ...node, operand: false }));
    return anyTarget(node);
  }
  const matching = anyTarget(node);
  if (!node.allowed.includes(null)) return matching;
  return any([matching, not(anyTarget({ ...node, allowed: [null] }, not))]);
}
