import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import type { ColumnInfo, TableInfo } from "../../../src/doc/schema.ts";
import type { Maker } from "./random-record-actions.ts";
import { formulaFor, NAMES, OPTIONS, shown, type Source, TABLE_NAMES, typeOf } from "./random-values.ts";

/** Actions on tables and columns, with their weights. */
export const TABLE_ACTIONS: readonly (readonly [weight: number, make: Maker])[] = [
  [5, addTable],
  [1, ({ random }) => ["AddEmptyTable", random.pick([null, ...TABLE_NAMES])]],
  [1, ({ random }) => ["AddRawTable", random.pick(TABLE_NAMES)]],
  [3, (source) => ofTable(source, ({ id }) => ["RenameTable", id, tableName(source, id)])],
  [3, (source) => ofTable(source, ({ id }) => ["DuplicateTable", id, tableName(source, id), source.random.oneIn(2)])],
  [2, (source) => ofTable(source, ({ id }) => ["RemoveTable", id])],
  [1, (source) => ofTable(source, ({ ref }) => ["RemoveRecord", "_grist_Tables", ref])],
  [2, tableRecord],
  [9, addColumn],
  [6, (source) => ofColumn(source, (table, { id }) => ["RemoveColumn", table.id, id])],
  [2, (source) => ofColumn(source, (_table, { ref }) => ["RemoveRecord", "_grist_Tables_column", ref])],
  [6, (source) => ofColumn(source, (table, { id }) => ["RenameColumn", table.id, id, source.random.pick(NAMES)])],
  [
    12,
    (source) =>
      ofColumn(source, (table, column) => ["ModifyColumn", table.id, column.id, changes(source, table, column)]),
  ],
  [8, columnRecord],
  [2, columnRecords],
  [3, copyFromColumn],
  [3, convertFromColumn],
  [4, renameChoices],
  [3, (source) => ofColumn(source, (table, { ref }) => setDisplayFormula(source, table, { field: null, column: ref }))],
  [2, showByReference],
  [7, addReverseColumn],
  [2, retypeReverse],
  [3, addEmptyRule],
  [3, ruleFormula],
];

function ofTable(source: Source, make: (table: TableInfo) => UserAction): UserAction | undefined {
  const table = source.table();
  return table && make(table);
}

function ofColumn(source: Source, make: (table: TableInfo, column: ColumnInfo) => UserAction): UserAction | undefined {
  const found = source.column();
  return found && make(found.table, found.column);
}

const tableName = ({ random }: Source, id: string): string =>
  random.oneIn(6) ? id.toUpperCase() : random.pick(TABLE_NAMES);

function addTable(source: Source): UserAction {
  const { random } = source;
  const columns = [{ id: "A", type: typeOf(source) }, { id: "Name" }, { id: "B", ...newColumn(source) }, {}];
  return ["AddTable", random.pick([null, ...TABLE_NAMES]), columns.slice(0, 1 + random.below(4))];
}

function tableRecord(source: Source): UserAction | undefined {
  const { random } = source;
  return ofTable(source, (table) => [
    "UpdateRecord",
    "_grist_Tables",
    table.ref,
    random.pick([
      { tableId: tableName(source, table.id) },
      { onDemand: !table.onDemand },
      { primaryViewId: random.pick([0, ...source.ids("_grist_Views")]) },
      { tableId: tableName(source, table.id), onDemand: false },
    ]),
  ]);
}

function addColumn(source: Source): UserAction | undefined {
  const { random } = source;
  const action = random.pick(["AddColumn", "AddVisibleColumn", "AddHiddenColumn"]);
  return ofTable(source, (table) => [action, table.id, random.pick([null, ...NAMES]), newColumn(source, table)]);
}

/** Returns the properties of a new column. */
function newColumn(source: Source, table = source.table()): Record<string, unknown> {
  const { random } = source;
  const formula = table ? formulaFor(source, table) : "1";
  const more = {
    ...(random.oneIn(4) && { label: random.pick(NAMES) }),
    ...(random.oneIn(3) && { widgetOptions: random.pick(OPTIONS) }),
    ...(random.oneIn(8) && { description: "text", untieColIdFromLabel: true }),
  };
  switch (random.below(5)) {
    case 0:
      return { formula, isFormula: true, ...more };
    case 1:
      return { formula, isFormula: true, type: typeOf(source), ...more };
    case 2:
      return { formula, isFormula: false, type: typeOf(source), ...triggers(source, table), ...more };
    case 3:
      return more;
    default:
      return { type: typeOf(source), isFormula: false, ...more };
  }
}

/** Returns the trigger settings of a formula in a data column. */
function triggers({ random }: Source, table: TableInfo | undefined): Record<string, unknown> {
  const refs = random.some(table?.columns ?? [], 3).map((column) => column.ref);
  return { recalcWhen: random.below(3), recalcDeps: refs.length > 0 ? ["L", ...refs] : null };
}

/** Returns changes to a column. */
function changes(source: Source, table: TableInfo, column: ColumnInfo): Record<string, unknown> {
  const { random } = source;
  return random.pick<() => Record<string, unknown>>([
    () => ({ type: typeOf(source) }),
    () => ({ type: typeOf(source), isFormula: false, widgetOptions: random.pick(OPTIONS) }),
    () => ({ type: typeOf(source), formula: formulaFor(source, table, column), isFormula: random.oneIn(2) }),
    () => ({ isFormula: random.oneIn(2) }),
    () => ({ formula: formulaFor(source, table, column), isFormula: true }),
    () => ({ formula: formulaFor(source, table, column), isFormula: false, ...triggers(source, table) }),
    () => triggers(source, table),
    () => ({ label: random.pick(NAMES), untieColIdFromLabel: random.oneIn(3) }),
    () => ({ widgetOptions: random.pick(OPTIONS), description: "text", _position: random.below(9) }),
    () => ({ visibleCol: random.pick([0, ...source.ids("_grist_Tables_column")]) }),
  ])();
}

/** Changes a column through its record. */
function columnRecord(source: Source): UserAction | undefined {
  const { random } = source;
  return ofColumn(source, (table, column) => {
    const values = random.pick<() => Record<string, unknown>>([
      () => changes(source, table, column),
      () => ({ colId: random.pick(NAMES) }),
      () => ({ parentPos: random.below(20) }),
      () => ({ rules: null }),
      () => ({ displayCol: 0, visibleCol: 0 }),
      () => ({ reverseCol: 0 }),
    ])();
    const { _position: _, ...stored } = values;
    return ["UpdateRecord", "_grist_Tables_column", column.ref, stored];
  });
}

function columnRecords(source: Source): UserAction | undefined {
  const { random } = source;
  return ofTable(source, (table) => {
    const refs = random.some(shown(table), 2).map((column) => column.ref);
    const values = random.pick([
      { label: refs.map(() => random.pick(NAMES)) },
      { colId: refs.map(() => random.pick(NAMES)) },
      { parentPos: refs.map(() => random.below(20)) },
      { type: refs.map(() => typeOf(source)) },
    ]);
    return ["BulkUpdateRecord", "_grist_Tables_column", refs, values];
  });
}

function copyFromColumn(source: Source): UserAction | undefined {
  const { random } = source;
  return ofColumn(source, (table, { id }) => {
    const from = random.pickAny(shown(table))?.id ?? id;
    return ["CopyFromColumn", table.id, from, id, random.pick([null, ...OPTIONS])];
  });
}

function convertFromColumn(source: Source): UserAction | undefined {
  const { random } = source;
  return ofColumn(source, (table, { id }) => {
    const from = random.pickAny(shown(table))?.id ?? id;
    const shownBy = random.oneIn(3) ? random.pick(source.ids("_grist_Tables_column")) : 0;
    return ["ConvertFromColumn", table.id, from, id, typeOf(source), random.pick(OPTIONS), shownBy];
  });
}

function renameChoices(source: Source): UserAction | undefined {
  const { random } = source;
  const isChoice = ({ type }: ColumnInfo) => type.startsWith("Choice") || random.oneIn(4);
  const found = source.column(isChoice);
  const renames = random.pick([{ red: "green" }, { a: "b", b: "a" }, { "": "new" }, { "a, b": "new", red: "a" }]);
  return found && ["RenameChoices", found.table.id, found.column.id, renames];
}

export function setDisplayFormula(
  { random }: Source,
  table: TableInfo,
  { field, column }: { field: number | null; column: number | null },
): UserAction {
  const { id = "A" } = random.pickAny(table.columns) ?? {};
  return ["SetDisplayFormula", table.id, field, column, random.pick(["", `$${id}`, `$${id}.Name`])];
}

const isReference = ({ type }: ColumnInfo): boolean => /^Ref(List)?:/.test(type);

/** Sets the display column of a reference, as the page does. */
function showByReference(source: Source): UserAction | undefined {
  const found = source.column(isReference);
  const target = source.tables.find(({ id }) => id === found?.column.type.split(":")[1]);
  const column = source.random.pickAny(target?.columns ?? []);
  return found && column && ["UpdateRecord", "_grist_Tables_column", found.column.ref, { visibleCol: column.ref }];
}

function addReverseColumn(source: Source): UserAction | undefined {
  const found = source.column(
    (column) => (isReference(column) && !column.isFormula && column.reverseCol === 0) || source.random.oneIn(40),
  );
  return found && ["AddReverseColumn", found.table.id, found.column.id];
}

/** Changes the type of one column of a two-way reference. */
function retypeReverse(source: Source): UserAction | undefined {
  const { random } = source;
  const found = source.column(({ reverseCol }) => reverseCol > 0);
  if (!found) return undefined;
  const { table, column } = found;
  const target = column.type.split(":")[1] ?? "";
  const type = random.pick([`Ref:${target}`, `RefList:${target}`, "Text", typeOf(source)]);
  return random.oneIn(3)
    ? ["RemoveColumn", table.id, column.id]
    : ["ModifyColumn", table.id, column.id, random.pick<Record<string, unknown>>([{ type }, { reverseCol: 0 }])];
}

function addEmptyRule(source: Source): UserAction | undefined {
  const { random } = source;
  return ofColumn(source, (table, { ref }) => {
    const fields = source.records("_grist_Views_section_field", "colRef").filter(({ values }) => values[0] === ref);
    const field = random.pickAny(fields)?.id ?? 0;
    return [
      "AddEmptyRule",
      table.id,
      ...random.pick([
        [0, 0],
        [0, ref],
        [field, 0],
      ] as const),
    ];
  });
}

/** Sets the formula of a conditional format, or replaces a list of formats. */
function ruleFormula(source: Source): UserAction | undefined {
  const { random } = source;
  const rules = source.tables.flatMap((table) =>
    table.columns.flatMap((column) => (/ConditionalRule/.test(column.id) ? [{ table, column }] : [])),
  );
  const found = random.pickAny(rules);
  if (!found) return undefined;
  const { table, column } = found;
  return random.oneIn(4)
    ? ["RemoveRecord", "_grist_Tables_column", column.ref]
    : ["UpdateRecord", "_grist_Tables_column", column.ref, { formula: formulaFor(source, table, column) }];
}
