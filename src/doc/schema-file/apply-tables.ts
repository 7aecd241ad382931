import type { AddedTable } from "../actions/schema/tables.ts";
import type { AddedColumn } from "../actions/schema/columns.ts";
import { isGroupColumn } from "../actions/summaries/summary-columns.ts";
import type { ColumnInfo, TableInfo } from "../schema.ts";
import { type Application, shown, type Steps } from "./application.ts";
import { GROUP_ID, hasTitle } from "./describe-schema.ts";
import { groupColumnOf, targetKey, type WantedColumn, type WantedTable } from "./wanted-schema.ts";

/** Removes, renames and adds tables and columns until the document has those of the file. */

export function* removeTablesAndColumns(application: Application): Steps {
  const { match, keys } = application;
  const summariesFirst = match.removedTables.toSorted((a, b) => b.summarySourceTable - a.summarySourceTable);
  for (const table of summariesFirst) {
    const source = application.before.tableByRef.get(table.summarySourceTable);
    const path = source
      ? ["tables", keys.ofTable(source.ref), "summaries", keys.ofTable(table.ref)]
      : ["tables", keys.ofTable(table.ref)];
    const what = source ? `Remove the summary ${shown(table.id)}` : `Remove the table ${shown(table.id)}`;
    application.add("remove", path, what, source ? {} : { rows: application.countRows(table) });
    // Removed with its source.
    if (application.schema.tableById.has(table.id)) yield ["RemoveTable", table.id];
  }
  for (const column of match.removedColumns) {
    const table = application.schema.tableByRef.get(column.tableRef);
    // A table that was removed may have changed the type of the column.
    const current = application.schema.columnByRef.get(column.ref);
    if (!table || !current) continue;
    const path = [...pathOf(application, table), "columns", keys.ofColumn(column.ref)];
    application.add("remove", path, `Remove the column ${shown(`${table.id}.${column.id}`)}`, {
      cells: application.countCells(current),
    });
    yield ["RemoveColumn", table.id, column.id];
  }
}

function pathOf({ match, keys }: Application, { ref }: TableInfo): readonly (string | number)[] {
  const [wanted] = [...match.tables].find(([, other]) => other === ref) ?? [];
  return wanted?.path ?? ["tables", keys.ofTable(ref)];
}

/** Sets titles, which renames tables, before the tables are renamed to the ids of the file. */
export function* setTitles(application: Application): Steps {
  for (const wanted of application.wanted) {
    const table = application.tableOf(wanted);
    if (!table || wanted.summaryOf || !hasTitle(table)) continue;
    const [row] = application.document.db.values(
      "select title from _grist_Views_section where id = ?",
      table.rawViewSectionRef,
    );
    const title = String(row?.[0] ?? "");
    if (!row || title === wanted.title) continue;
    application.add(
      "change",
      [...wanted.path, "title"],
      `Change the title of ${shown(table.id)} from ${shown(title)} to ${shown(wanted.title)}`,
    );
    yield ["UpdateRecord", "_grist_Views_section", table.rawViewSectionRef, { title: wanted.title }];
  }
}

interface Renaming {
  readonly from: string;
  readonly to: string;
  /** Ids that are taken by others. */
  taken(): readonly string[];
  rename(to: string): Steps<string>;
  readonly refuse: (id: string) => void;
}

/** Renames tables and columns to the ids of the file, also when they swap ids. */
export function* renameTablesAndColumns(application: Application): Steps {
  yield* renameAll(() =>
    application.wanted.flatMap((wanted): Renaming[] => {
      const table = application.tableOf(wanted);
      if (!table || wanted.summaryOf || table.id === wanted.id) return [];
      return [
        {
          from: table.id,
          to: wanted.id,
          taken: () => application.schema.tables.filter(({ ref }) => ref !== table.ref).map(({ id }) => id),
          rename: (to) => application.run(["RenameTable", table.id, to]),
          refuse: (id) => application.problems.add([...wanted.path, "id"], `the id is taken; ${id} is free`),
        },
      ];
    }),
  );
  yield* renameGroupColumns(application);
  yield* renameColumns(application);
  listRenames(application);
}

/** The column of a summary for the rows of a group has its usual id, unless the file has another one. */
function* renameGroupColumns(application: Application): Steps {
  for (const wanted of application.wanted) {
    const table = wanted.summaryOf && !groupColumnOf(wanted) ? application.tableOf(wanted) : undefined;
    const group = table?.columns.find(isGroupColumn);
    if (!table || !group || group.isHidden || group.id === GROUP_ID || table.columnById.has(GROUP_ID)) continue;
    application.add(
      "rename",
      wanted.path,
      `Rename the column ${shown(`${table.id}.${group.id}`)} to ${shown(GROUP_ID)}`,
    );
    yield ["RenameColumn", table.id, group.id, GROUP_ID];
  }
}

function* renameColumns(application: Application): Steps {
  yield* renameAll(() =>
    application.wanted.flatMap((wanted) =>
      [...wanted.columns.values()].flatMap((column): Renaming[] => {
        const info = application.columnOf(column);
        const table = application.tableOf(wanted);
        if (!info || !table || info.id === column.file.id) return [];
        return [
          {
            from: `${table.id}.${info.id}`,
            to: column.file.id,
            taken: () => table.columns.filter(({ ref }) => ref !== info.ref).map(({ id }) => id),
            *rename(to) {
              yield* freeInSummaries(application, table, { id: to, unless: info.id });
              return yield* application.run<string>(["RenameColumn", table.id, info.id, to]);
            },
            refuse: (id) => application.problems.add([...column.path, "id"], `the id is taken; ${id} is free`),
          },
        ];
      }),
    ),
  );
}

/** The columns of a table and of its summaries have different ids: columns of summaries get an interim id. */
function* freeInSummaries(
  application: Application,
  { ref }: TableInfo,
  { id, unless }: { id: string; unless?: string },
): Steps {
  for (const summary of application.schema.tables) {
    if (summary.summarySourceTable !== ref) continue;
    const taking = summary.columns.find((column) => column.id.toLowerCase() === id.toLowerCase());
    if (!taking || taking.id === unless || taking.summarySourceCol > 0) continue;
    yield ["RenameColumn", summary.id, taking.id, `Interim_${taking.id}`];
  }
}

/** Renames what can be renamed; when all new ids are taken, because they are swapped, one gets an interim id. */
function* renameAll(pendingRenames: () => Renaming[]): Steps {
  const settled = new Set<string>();
  const maxSteps = 4 * pendingRenames().length + 10;
  for (let step = 0; step < maxSteps; step++) {
    const pending = pendingRenames().filter(({ to, from }) => !settled.has(`${from}\n${to}`));
    const isFree = ({ to, taken }: Renaming) => !taken().some((id) => id.toLowerCase() === to.toLowerCase());
    const next = pending.find(isFree);
    const [first] = pending;
    if (!first) return;
    if (next) {
      const id = yield* next.rename(next.to);
      if (id === next.to) continue;
      next.refuse(id);
      return;
    }
    // Each interim id frees an id that another one waits for; if it was given before, the id stays taken.
    if (/^(?:.*\.)?Interim_/.test(first.from)) {
      first.refuse(first.from);
      settled.add(`${first.from}\n${first.to}`);
      continue;
    }
    yield* first.rename(`Interim_${first.to}`);
  }
}

/** Adds the renames to the changes: from the ids before the change, since titles rename tables too. */
function listRenames(application: Application): void {
  for (const wanted of application.wanted) {
    const before = application.before.tableByRef.get(application.match.tables.get(wanted) ?? 0);
    if (!before) continue;
    if (!wanted.summaryOf && before.id !== wanted.id)
      application.add("rename", [...wanted.path, "id"], `Rename the table ${shown(before.id)} to ${shown(wanted.id)}`);
    for (const column of wanted.columns.values()) {
      const info = application.before.columnByRef.get(application.match.columns.get(column) ?? 0);
      if (info && info.id !== column.file.id)
        application.add(
          "rename",
          [...column.path, "id"],
          `Rename the column ${shown(`${before.id}.${info.id}`)} to ${shown(column.file.id)}`,
        );
    }
  }
}

/** Adds tables, columns and summaries. References and formulas follow when all tables and columns exist. */
export function* addTablesAndColumns(application: Application): Steps {
  for (const wanted of application.wanted) {
    if (!wanted.summaryOf && !application.tableOf(wanted)) yield* addTable(application, wanted);
  }
  application.problems.check();
  for (const wanted of application.wanted) if (!wanted.summaryOf) yield* addColumns(application, wanted);
  for (const wanted of application.wanted) {
    if (!wanted.summaryOf) continue;
    if (!application.tableOf(wanted)) yield* addSummary(application, wanted, wanted.summaryOf);
    yield* addColumns(application, wanted);
  }
  // Columns of summaries with an interim id.
  yield* renameColumns(application);
  application.problems.check();
}

function* addTable(application: Application, wanted: WantedTable): Steps {
  application.add("add", wanted.path, `Add the table ${shown(wanted.id)} with ${wanted.columns.size} columns`);
  const columns = [...wanted.columns.values()];
  const added: AddedTable = yield* application.run([
    "AddTable",
    wanted.id,
    columns.map((column) => ({ id: column.file.id, ...interimFields(column) })),
  ]);
  application.match.tables.set(wanted, added.id);
  if (added.table_id !== wanted.id)
    application.problems.add([...wanted.path, "id"], `the id is taken; ${added.table_id} is free`);
  const table = application.tableOf(wanted);
  for (const [at, id] of added.columns.entries()) {
    const column = columns[at];
    const ref = table?.columnById.get(id)?.ref;
    if (column && ref !== undefined) application.match.columns.set(column, ref);
    if (column && column.file.id !== id)
      application.problems.add([...column.path, "id"], `the id is taken; ${id} is free`);
  }
  if (wanted.title === "" || !table) return;
  yield ["UpdateRecord", "_grist_Views_section", table.rawViewSectionRef, { title: wanted.title }];
  const renamed = application.tableOf(wanted)?.id ?? "";
  if (renamed !== wanted.id) yield ["RenameTable", renamed, wanted.id];
}

function* addColumns(application: Application, wanted: WantedTable): Steps {
  for (const column of wanted.columns.values()) {
    const table = application.tableOf(wanted);
    if (!table || application.columnOf(column)) continue;
    const { id } = column.file;
    application.add("add", column.path, `Add the column ${shown(`${table.id}.${id}`)} of type ${column.file.type}`);
    yield* freeInSummaries(application, table, { id });
    const { colRef, colId }: AddedColumn = yield* application.run([
      "AddVisibleColumn",
      table.id,
      id,
      interimFields(column),
    ]);
    application.match.columns.set(column, colRef);
    if (colId !== id) application.problems.add([...column.path, "id"], `the id is taken; ${colId} is free`);
  }
}

/** Adds a summary on a page of its own. Columns that it gets but the file does not have are removed. */
function* addSummary(
  application: Application,
  wanted: WantedTable,
  { source, groupBy }: NonNullable<WantedTable["summaryOf"]>,
): Steps {
  const sourceTable = application.tableOf(source);
  if (!sourceTable) return;
  const refs = groupBy.map((key) => application.columnByKey(source, key)?.ref ?? 0);
  application.add("add", wanted.path, `Add a summary of ${shown(sourceTable.id)} by ${shown(groupBy)}`);
  const known = new Set(application.schema.tables.map(({ ref }) => ref));
  yield ["CreateViewSection", sourceTable.ref, 0, "record", refs, null];
  const added = application.schema.tables.find(({ ref }) => !known.has(ref));
  if (!added) {
    application.problems.add([...wanted.path, "groupBy"], "two summaries group by these columns");
    return;
  }
  application.match.tables.set(wanted, added.ref);
  for (const info of added.columns.filter(({ isHidden, summarySourceCol }) => !isHidden && summarySourceCol === 0)) {
    const group = isGroupColumn(info) ? groupColumnOf(wanted) : undefined;
    const column = group ?? [...wanted.columns.values()].find(({ file }) => file.id === info.id);
    if (column) application.match.columns.set(column, info.ref);
    else if (!isGroupColumn(info)) yield ["RemoveColumn", added.id, info.id];
  }
}

/** The fields of a new column before the tables exist that it may refer to. */
function interimFields({ file }: WantedColumn): Pick<ColumnInfo, "type" | "isFormula" | "label" | "formula"> {
  const { formula, type, label = file.id } = file;
  return { type: targetKey(type) === undefined ? type : "Int", isFormula: formula !== undefined, formula: "", label };
}
