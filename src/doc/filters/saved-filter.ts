/** The operator `saved`: filters in the form in which the widgets of a document have them. */
import { AppError } from "../../errors.ts";
import type { CellValue } from "../../values/cell.ts";
import { type FilterMeaning, filterLookup, filterMeaning, filterTest } from "../read/cell-filter.ts";
import type { ReadField } from "../read/read-table.ts";
import { cellCondition, columnSql, equalsSql, numberCondition } from "./cell-conditions.ts";
import { type Condition, constant, not } from "./condition.ts";
import { type Comparison, typeOf } from "./filter-table.ts";
import { invalidOperand } from "./operators.ts";
import { quote } from "../../sqlite/quote.ts";
import { PLAIN_TEXT } from "./list-items.ts";
import { anyOf, MATCH_ALL, type SqlCondition } from "./sql-condition.ts";

/** @throws AppError `invalid` when the operand is no such filter */
export function compileSaved(comparison: Comparison): Condition {
  const { field, table, name, operand } = comparison;
  const { timezone, clock } = table.document;
  const type = typeOf(field).text;
  let meaning: FilterMeaning;
  try {
    meaning = filterMeaning(operand, { type, timezone, nowMs: clock.now() });
  } catch (error) {
    if (error instanceof AppError) throw invalidOperand(name, `must be a filter of a widget: ${error.message}`);
    throw error;
  }
  if (meaning.kind === "all") return constant(true);
  if (meaning.kind === "range") {
    const lookup = filterLookup(meaning);
    const interval = lookup?.kind === "range" && lookup.range.kind === "number" ? lookup.range : null;
    return numberCondition(field, { values: new Set(), intervals: interval ? [interval] : [] });
  }
  const test = filterTest(meaning, type);
  if (field === null) return cellCondition(null, { test, sql: { kind: "partial", condition: MATCH_ALL } });
  return meaning.hasItems
    ? cellCondition(field, { test, sql: { kind: "partial", condition: itemsSql(field, meaning) } })
    : cellsCondition(field, meaning);
}

type Values = Extract<FilterMeaning, { kind: "values" }>;

function cellsCondition(field: ReadField, meaning: Values): Condition {
  const included = { ...meaning, isInclusive: true };
  const test = filterTest(included, field.type.text);
  const keys = [...meaning.keys];
  // The JSON of lists and errors, which are stored in several forms.
  const isComposite = keys.some((key) => typeof key === "string" && /^[[{]/.test(key));
  const condition = anyOf([
    equalsSql(field, keys as CellValue[], test),
    ...(meaning.keys.has(null) ? [{ sql: `${columnSql(field)} is null`, args: [] }] : []),
    ...(isComposite ? [{ sql: `typeof(${quote(field.id)}) in ('blob', 'text')`, args: [] }] : []),
  ]);
  const kind = isComposite ? "partial" : "complete";
  const lookup = filterLookup(included) ?? undefined;
  const found = cellCondition(field, { test, lookup, sql: { kind, condition } });
  return meaning.isInclusive ? found : not(found);
}

/** More are not worth searching. */
const MAX_SEARCHED = 20;

/** Returns a condition of all lists that pass, and of others: texts and ids are searched in the stored list. */
function itemsSql(field: ReadField, { keys, isInclusive }: Values): SqlCondition {
  const items = [...keys];
  const isSearchable = isInclusive && items.length <= MAX_SEARCHED && items.every(isPlainItem);
  if (!isSearchable) return MATCH_ALL;
  const name = quote(field.id);
  return anyOf([
    { sql: `typeof(${name}) = 'blob'`, args: [] },
    ...items.map((item) => ({ sql: `instr(${name}, ?) > 0`, args: [String(item)] })),
  ]);
}

const isPlainItem = (item: unknown): boolean =>
  typeof item === "number" ? Number.isSafeInteger(item) : typeof item === "string" && PLAIN_TEXT.test(item);
