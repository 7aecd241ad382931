import { isList, type CellValue } from "../../values/cell.ts";
import type { ReadField } from "../read/read-table.ts";
import { cellCondition, columnSql, equalsSql, type FilterField } from "./cell-conditions.ts";
import type { Condition } from "./condition.ts";
import { MATCH_NONE } from "./sql-condition.ts";
import { asNumber, isReferenceList, storedForms, valueList } from "./stored-forms.ts";

/**
 * Returns the condition that a cell is one of the allowed values. It compares stored values rather than displayed ones:
 * numbers and booleans are equal as numbers, texts match exactly, null matches only null.
 */
export function listFormCondition(field: FilterField, allowed: readonly unknown[]): Condition {
  const test = allowedTest(field, allowed);
  if (field === null) {
    const condition = equalsSql(
      null,
      allowed.map(asNumber).filter((id) => id !== undefined),
      () => true,
    );
    return cellCondition(null, { test, sql: { kind: "complete", condition } });
  }
  const name = columnSql(field);
  const nulls = allowed.includes(null) ? `${name} is null` : "";
  const stored = allowed.flatMap((value) => storedForms(field.type, value));
  const list = stored.length === 0 ? null : valueList(stored);
  const condition = list
    ? { sql: `${name} in (${list.sql})${nulls && ` or ${nulls}`}`, args: list.args }
    : nulls
      ? { sql: nulls, args: [] }
      : MATCH_NONE;
  const values = allowedCells(field, allowed);
  return cellCondition(field, { test, sql: { kind: "complete", condition }, lookup: { kind: "values", values } });
}

/** Returns the cells that a column's filter allows. A value that equals no cell of the column has none. */
function allowedCells({ type }: ReadField, allowed: readonly unknown[]): CellValue[] {
  return allowed.flatMap((value): CellValue[] => {
    const number = asNumber(value);
    if (number !== undefined) return [number];
    if (typeof value === "string" || value === null) return [value];
    return isReferenceList(type) && Array.isArray(value) ? [["L", ...value.map(asNumber)]] : [];
  });
}

function allowedTest(field: FilterField, allowed: readonly unknown[]): (cell: CellValue) => boolean {
  const values = new Set<unknown>();
  const lists = new Set<string>();
  for (const value of allowed) {
    const number = asNumber(value);
    if (number !== undefined) values.add(number);
    else if (typeof value === "string" || value === null) values.add(value);
    else if (field && isReferenceList(field.type) && Array.isArray(value)) {
      const items = value.map(asNumber);
      if (items.length > 0 && !items.includes(undefined)) lists.add(JSON.stringify(["L", ...items]));
    }
  }
  return (cell) =>
    isList(cell) ? lists.size > 0 && lists.has(JSON.stringify(cell)) : values.has(asNumber(cell) ?? cell);
}
