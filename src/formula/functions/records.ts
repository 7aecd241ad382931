import { spendSteps } from "../runtime/budget.ts";
import { callMethod } from "../runtime/classes/attributes.ts";
import { PyDate } from "../dates/date.ts";
import { PyDict } from "../runtime/collections/dicts.ts";
import { PyError, typeError, valueError } from "../runtime/errors.ts";
import { NO_KEYWORDS } from "../runtime/classes/instances.ts";
import { recordFinder } from "../records/record-finder.ts";
import { lookUpRecords } from "../records/table.ts";
import { PyRecord } from "../records/record.ts";
import { PyRecordSet } from "../records/record-set.ts";
import { defineFunction, requireIndex } from "../runtime/signature.ts";
import { AltText, itemsOf, PyFunction, PyList, PyTuple, type PyValue, isTruthy, typeName } from "../runtime/values.ts";

const NEIGHBOUR_PARAMETERS = {
  required: ["rec"],
  optional: [["group_by", new PyTuple([])]],
  keywordOnly: true,
} as const;

/** Functions that take records. */
export const RECORD_FUNCTIONS: readonly PyFunction[] = [
  /** NEXT(rec, *, group_by=(), order_by): the next record among those with equal `group_by` columns. */
  neighbourFunction("NEXT", "next"),
  /** PREVIOUS(rec, *, group_by=(), order_by): the previous record among those with equal `group_by` columns. */
  neighbourFunction("PREVIOUS", "previous"),
  /**
   * RANK(rec, *, group_by=(), order_by, order="asc"): the rank of this record among those with equal `group_by`
   * columns, starting at 1.
   */
  neighbourFunction("RANK", "rank"),
  /**
   * RECORD(record_or_list, dates_as_iso=False, expand_refs=0): a record as a dict of its columns, or a list of such
   * dicts.
   */
  defineFunction(
    "RECORD",
    {
      required: ["record_or_list"],
      optional: [
        ["dates_as_iso", false],
        ["expand_refs", 0n],
      ],
    },
    ([value = null, datesAsIso = false, expandRefs = 0n]) =>
      toDicts(value, { datesAsIso: isTruthy(datesAsIso), referenceDepth: requireIndex(expandRefs) }),
  ),
];

function neighbourFunction(name: string, operation: "next" | "previous" | "rank"): PyFunction {
  const hasOrder = operation === "rank";
  return new PyFunction(name, (positional, keywords) => {
    const [rec] = positional;
    const orderBy = keywords.get("order_by");
    if (rec === undefined || positional.length > 1) throw typeError(`${name}() takes 1 positional argument`);
    if (orderBy === undefined) throw typeError(`${name}() missing required keyword-only argument: 'order_by'`);
    const known = [...NEIGHBOUR_PARAMETERS.optional.map(([key]) => key), "order_by", ...(hasOrder ? ["order"] : [])];
    const unknown = [...keywords.keys()].find((key) => !known.includes(key));
    if (unknown !== undefined) throw typeError(`${name}() got an unexpected keyword argument '${unknown}'`);
    if (!(rec instanceof PyRecord)) {
      // Attribute access on an AltText throws the appropriate error.
      if (rec instanceof AltText) rec.attribute();
      throw new PyError("AttributeError", `'${typeName(rec)}' object is no record`);
    }
    const conditions = groupColumns(keywords.get("group_by") ?? null).map(
      (column) => [column, rec.table.read(rec.id, column)] as const,
    );
    const set = lookUpRecords(rec.table, new Map<string, PyValue>([...conditions, ["order_by", orderBy]]));
    const order = keywords.get("order");
    return callMethod(recordFinder(set), operation, order === undefined ? [rec] : [rec, order], NO_KEYWORDS);
  });
}

function groupColumns(groupBy: PyValue): string[] {
  if (groupBy === null) return [];
  const names = groupBy instanceof PyTuple || groupBy instanceof PyList ? groupBy.items() : [groupBy];
  return names.map((name) => {
    if (typeof name !== "string") throw typeError(`group_by must name columns, not ${typeName(name)}`);
    return name;
  });
}

interface RecordDictOptions {
  readonly datesAsIso: boolean;
  /** The number of reference levels to expand. */
  readonly referenceDepth: number;
}

function toDicts(value: PyValue, form: RecordDictOptions): PyValue {
  if (value instanceof PyRecord) return toDict(value, form);
  const isList = value instanceof PyRecordSet || value instanceof PyList || value instanceof PyTuple;
  const dicts = isList
    ? itemsOf(value).map((item) => item instanceof PyRecord && toDict(item, form))
    : [false as const];
  if (!dicts.every((dict) => dict !== false)) {
    throw valueError(`RECORD() takes a record or records, not ${typeName(value)}`);
  }
  return new PyList(dicts);
}

function toDict(record: PyRecord, form: RecordDictOptions): PyDict {
  const entries = new Map<string, PyValue>([["id", BigInt(record.id)]]);
  const errors = new Map<string, PyValue>();
  for (const column of record.table.visibleColumns()) {
    spendSteps(4);
    try {
      entries.set(column, toPlainValue(record.table.read(record.id, column), form));
    } catch (error) {
      if (!(error instanceof PyError) || !error.catchable) throw error;
      entries.set(column, null);
      errors.set(column, `${error.typeName}: ${error.message}`);
    }
  }
  if (errors.size > 0) entries.set("_error_", PyDict.of(errors));
  return PyDict.of(entries);
}

function toPlainValue(value: PyValue, form: RecordDictOptions): PyValue {
  if (form.datesAsIso && value instanceof PyDate) return callMethod(value, "isoformat", [], NO_KEYWORDS);
  if (form.referenceDepth < 1) return value;
  const inner = { ...form, referenceDepth: form.referenceDepth - 1 };
  if (value instanceof PyRecord) return value.id === 0 ? null : toDict(value, inner);
  return value instanceof PyRecordSet ? toDicts(value, inner) : value;
}
