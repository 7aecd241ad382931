import { PyDict } from "../../../formula/runtime/collections/dicts.ts";
import { pythonToCell } from "../../../formula/python-to-cell.ts";
import type { LookupCondition } from "../../../formula/records/tracked-table.ts";
import { PyRecord } from "../../../formula/records/record.ts";
import { PyRecordSet } from "../../../formula/records/record-set.ts";
import { PySet } from "../../../formula/runtime/collections/sets.ts";
import { PyObject, PySequence, type PyValue } from "../../../formula/runtime/values.ts";
import { columnType, type ColumnType } from "../../../values/column-type.ts";
import { cellKey, type Key, type LookupKeyColumn } from "./lookup-keys.ts";
import type { ColumnNode } from "../nodes.ts";

const ROW_ID_TYPE = columnType("Int");
const ELEMENT_TYPE = columnType("Any");

/** Returns the key column for a lookup condition. `node` is undefined for the row id. */
export function conditionColumn(
  node: ColumnNode | undefined,
  { contains, matchEmpty }: LookupCondition,
): LookupKeyColumn {
  if (!contains) return { node, by: "whole" };
  return { node, by: "element", empty: matchEmpty === undefined ? undefined : elementKey(matchEmpty) };
}

/** Returns the key to look up; undefined for values that no cell can equal. */
export function conditionKey({ node, by }: LookupKeyColumn, value: PyValue): Key | undefined {
  if (by === "element") return elementKey(value);
  // A record is looked up by its row id.
  if (!node && value instanceof PyRecord) return value.id;
  return wholeKey(node?.kind ?? ROW_ID_TYPE, value);
}

/** Converts the value to the column's type first, like results of formulas. */
function wholeKey(type: ColumnType, value: PyValue): Key | undefined {
  if (!(value instanceof PyObject)) return cellKey(pythonToCell(value, type));
  const isList = type.base === "ChoiceList" || type.base === "RefList" || type.base === "Attachments";
  if (!isList && isUnhashable(value)) return undefined;
  if (type.base === "Ref" && value instanceof PyRecord) return value.id;
  return cellKey(pythonToCell(value, type));
}

const isUnhashable = (value: PyValue): boolean =>
  (value instanceof PySequence && value.sequenceKind === "list") ||
  value instanceof PyDict ||
  value instanceof PySet ||
  value instanceof PyRecordSet;

/** Returns the key of a list element. Elements are texts or row ids, and are not converted. */
function elementKey(value: PyValue): Key | undefined {
  if (value instanceof PyRecord) return value.id;
  return isUnhashable(value) ? undefined : cellKey(pythonToCell(value, ELEMENT_TYPE));
}
