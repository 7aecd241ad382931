import { quote } from "../../sqlite/quote.ts";
import type { CellValue } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import { targetsOf } from "../actions/references/two-way-references.ts";
import { previewConversion } from "../actions/schema/preview-conversion.ts";
import { Change } from "../actions/change.ts";
import type { ColumnInfo } from "../schema.ts";
import { type Application, shown, type Steps } from "./application.ts";
import { optionsText } from "./column-options.ts";
import { isInTarget } from "./describe-column.ts";
import { listedColumns } from "./describe-schema.ts";
import { targetKey, type WantedColumn, type WantedTable } from "./wanted-schema.ts";

/** Gives the columns the types, links, labels and order of the file. All tables and columns exist. */
export function* changeColumns(application: Application): Steps {
  yield* forEachColumn(application, changeKind);
  yield* forEachColumn(application, changeLink);
  yield* forEachColumn(application, changeLabels);
  yield* forEachColumn(application, changeShownColumn);
  for (const wanted of application.wanted) yield* changeOrder(application, wanted);
}

/** Gives columns of summaries the kinds of the file again, after columns of other summaries with the same id were changed. */
export const changeSummaryKinds = (application: Application): Steps =>
  forEachColumn(application, function* (_, pair) {
    if (pair.wanted.table.summaryOf) yield* changeKind(application, pair);
  });

/** A column of the file and the one of the document that it is. */
export interface ColumnPair {
  readonly wanted: WantedColumn;
  readonly info: ColumnInfo;
  /** The present id of the table. */
  readonly table: string;
}

export function* forEachColumn(
  application: Application,
  change: (application: Application, pair: ColumnPair) => Steps,
): Steps {
  for (const table of application.wanted) {
    for (const wanted of table.columns.values()) {
      const info = application.columnOf(wanted);
      const owner = application.tableOf(table);
      if (info && owner) yield* change(application, { wanted, info, table: owner.id });
    }
  }
}

/** Lists a change of a property, unless the column is new. */
export function note(
  application: Application,
  { wanted, info, table }: ColumnPair,
  { property, message, cells = 0 }: { property: string; message: string; cells?: number },
): void {
  if (application.isNew("column", info.ref)) return;
  application.add("change", [...wanted.path, property], `${shown(`${table}.${info.id}`)}: ${message}`, { cells });
}

function* changeKind(application: Application, pair: ColumnPair): Steps {
  const { wanted, info, table } = pair;
  const type = application.typeOf(wanted.file.type);
  const isFormula = wanted.file.formula !== undefined;
  if (info.isFormula === isFormula && info.type === type) return;
  // A linked column cannot refer to another table.
  if (info.reverseCol > 0 && info.type !== type) yield ["ModifyColumn", table, info.id, { reverseCol: 0 }];
  if (!info.isFormula && isFormula) {
    const cells = application.countCells(info);
    note(application, pair, { property: "formula", message: "Replace the cells by results of a formula", cells });
    yield ["ModifyColumn", table, info.id, { isFormula: true, formula: "", type }];
  } else if (info.isFormula && !isFormula) {
    note(application, pair, { property: "formula", message: "Keep the results of the formula as data" });
    yield ["ModifyColumn", table, info.id, { isFormula: false, formula: "", type }];
  } else if (isFormula || application.countCells(info) === 0) {
    note(application, pair, { property: "type", message: typeChange(info, type) });
    yield ["ModifyColumn", table, info.id, { type }];
  } else {
    yield* convertCells(application, pair, type);
  }
}

const typeChange = ({ type: from }: ColumnInfo, to: string): string => `Change the type from ${from} to ${to}`;

function* convertCells(application: Application, pair: ColumnPair, type: string): Steps {
  const { wanted, info, table } = pair;
  const options = optionsText(wanted.file);
  const visibleCol = shownColumn(application, wanted)?.ref ?? 0;
  const { document, user } = application;
  const change = new Change(document, { parse: true, user, nowMs: document.clock.now(), rules: "skip" });
  const { cells, converted } = previewConversion(change, table, {
    from: info.id,
    to: info.id,
    type,
    options,
    visibleCol,
  });
  note(application, pair, { property: "type", message: typeChange(info, type), cells: cells - converted });
  yield ["ConvertFromColumn", table, info.id, info.id, type, options, visibleCol];
}

function shownColumn(application: Application, { file }: WantedColumn): ColumnInfo | undefined {
  const target = application.tableByKey(targetKey(file.type) ?? "");
  return target && file.show !== undefined ? application.columnByKey(target, file.show) : undefined;
}

/** Links and unlinks two-way references. */
function* changeLink(application: Application, pair: ColumnPair): Steps {
  const { wanted, info, table } = pair;
  const target = application.tableByKey(targetKey(wanted.file.type) ?? "");
  const other = target?.columns.get(wanted.file.reverse ?? "");
  const otherInfo = other && application.columnOf(other);
  if (info.reverseCol > 0 && info.reverseCol === otherInfo?.ref) return;
  if (info.reverseCol > 0) {
    note(application, pair, { property: "reverse", message: "Unlink the reverse column" });
    yield ["ModifyColumn", table, info.id, { reverseCol: 0 }];
  }
  if (!other || !otherInfo || !target) return;
  const otherTable = application.tableOf(target)?.id ?? "";
  if (otherInfo.reverseCol > 0) yield ["ModifyColumn", otherTable, otherInfo.id, { reverseCol: 0 }];
  // The reverse column is filled from the other one: a new column, if one of them is new, else a list.
  const isFilled = (column: ColumnInfo) =>
    application.isNew("column", column.ref) || columnType(column.type).base === "RefList";
  const mine = { wanted, info, table };
  const theirs = { wanted: other, info: otherInfo, table: otherTable };
  const [kept, replaced] = isFilled(info) && !isFilled(otherInfo) ? [theirs, mine] : [mine, theirs];
  note(application, replaced, {
    property: "reverse",
    message: `Replace the cells by the reverse of ${shown(`${kept.table}.${kept.info.id}`)}`,
    cells: application.countCells(replaced.info),
  });
  const links = linkedCells(application, kept, replaced);
  if (links.kept.ids.length > 0) {
    note(application, kept, {
      property: "reverse",
      message: `Remove references to rows that other rows refer to, since ${shown(`${replaced.table}.${replaced.info.id}`)} has one reference`,
      cells: links.kept.ids.length,
    });
  }
  const update = (pair: ColumnPair, { ids, values }: NewCells) =>
    ids.length > 0 ? [["BulkUpdateRecord", pair.table, ids, { [pair.info.id]: values }]] : [];
  // In place: removing and adding the column would change summaries and pages.
  const refs = [kept.info.ref, replaced.info.ref];
  yield [
    "ApplyDocActions",
    [
      ...update(kept, links.kept),
      ...update(replaced, links.replaced),
      ["BulkUpdateRecord", "_grist_Tables_column", refs, { reverseCol: refs.toReversed() }],
    ],
  ];
}

interface NewCells {
  readonly ids: readonly number[];
  readonly values: readonly CellValue[];
}

/** Returns all cells of a column that is to be the reverse of another one, and the cells of that one that must change. */
function linkedCells(
  { document: { db } }: Application,
  kept: ColumnPair,
  replaced: ColumnPair,
): Readonly<Record<"kept" | "replaced", NewCells>> {
  const kind = columnType(kept.info.type);
  const isList = columnType(replaced.info.type).base === "RefList";
  const referrers = new Map<number, number[]>();
  const reduced = new Map<number, CellValue>();
  for (const [row, stored = null] of db.values(
    `select id, ${quote(kept.info.id)} from ${quote(kept.table)} order by id`,
  )) {
    const targets = targetsOf(kind.decode(stored));
    // A single reference is to the first row that refers back.
    const linked = targets.filter((target) => isList || !referrers.has(target));
    if (linked.length < targets.length) reduced.set(Number(row), referenceCell(kept, linked));
    for (const target of new Set(linked)) referrers.set(target, [...(referrers.get(target) ?? []), Number(row)]);
  }
  const ids = db.values(`select id from ${quote(replaced.table)} order by id`).map(([id]) => Number(id));
  return {
    kept: { ids: [...reduced.keys()], values: [...reduced.values()] },
    replaced: { ids, values: ids.map((id) => referenceCell(replaced, referrers.get(id) ?? [])) },
  };
}

function referenceCell({ info: { type } }: ColumnPair, rows: readonly number[]): CellValue {
  if (columnType(type).base !== "RefList") return rows[0] ?? 0;
  return rows.length > 0 ? ["L", ...rows] : null;
}

function* changeLabels(application: Application, pair: ColumnPair): Steps {
  const { wanted, info } = pair;
  const { id, label = id, description = "", idFollowsLabel = true } = wanted.file;
  const fields: Record<string, unknown> = {};
  if (label !== info.label) {
    note(application, pair, {
      property: "label",
      message: `Change the label from ${shown(info.label)} to ${shown(label)}`,
    });
    fields["label"] = label;
  }
  if (description !== info.description) {
    note(application, pair, { property: "description", message: "Change the description" });
    fields["description"] = description;
  }
  if (idFollowsLabel === info.untieColIdFromLabel) {
    note(application, pair, { property: "idFollowsLabel", message: `Set it to ${idFollowsLabel}` });
    fields["untieColIdFromLabel"] = !idFollowsLabel;
  }
  if (Object.keys(fields).length === 0) return;
  // With its id, since a label otherwise renames the column.
  yield ["UpdateRecord", "_grist_Tables_column", info.ref, { colId: info.id, ...fields }];
}

function* changeShownColumn(application: Application, pair: ColumnPair): Steps {
  const { wanted, info, table } = pair;
  const shownInfo = shownColumn(application, wanted);
  const ref = shownInfo?.ref ?? 0;
  const current = isInTarget(application.schema, info, info.visibleCol) ? info.visibleCol : 0;
  if (ref === current) return;
  note(application, pair, { property: "show", message: ref === 0 ? "Show row ids" : `Show ${shown(shownInfo?.id)}` });
  yield ["ModifyColumn", table, info.id, { visibleCol: ref }];
  yield ["SetDisplayFormula", table, null, info.ref, shownInfo ? `$${info.id}.${shownInfo.id}` : ""];
}

function* changeOrder(application: Application, wanted: WantedTable): Steps {
  const table = application.tableOf(wanted);
  if (!table) return;
  const refs = [...wanted.columns.values()].map((column) => application.match.columns.get(column) ?? 0);
  const current = listedColumns(table).map(({ ref }) => ref);
  if (refs.join() === current.join()) return;
  const isOld = (ref: number) => !application.isNew("column", ref);
  if (refs.filter(isOld).join() !== current.filter(isOld).join())
    application.add("change", [...wanted.path, "columns"], `Change the order of the columns of ${shown(table.id)}`);
  const last = Number(application.document.db.values("select max(parentPos) from _grist_Tables_column")[0]?.[0] ?? 0);
  yield ["BulkUpdateRecord", "_grist_Tables_column", refs, { parentPos: refs.map((_, at) => last + 1 + at) }];
}
