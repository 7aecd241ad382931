import type { FileAccess, FileRule, FileSettings, FileWebhook, SchemaFile } from "../../exchange/schema-file/model.ts";
import type { Path, Problems } from "../../exchange/schema-file/problems.ts";
import { AppError } from "../../errors.ts";
import { isKnownType } from "../../values/column-type.ts";
import { pickColumnId, pickTableId } from "../identifiers.ts";
import { parsePermissions } from "../rules/permissions.ts";
import { parsePredicate } from "../rules/predicates/parse-predicate.ts";
import { unknownName } from "../rules/predicates/predicate.ts";
import { isHiddenColumn } from "../schema.ts";
import { hasColumnKey, targetKey, type WantedColumn, type WantedTable } from "./wanted-schema.ts";

/** Adds what the parts of a file say that does not fit together. */
export function checkWantedSchema(file: SchemaFile, tables: readonly WantedTable[], problems: Problems): void {
  const byKey = new Map(tables.map((table) => [table.key, table]));
  checkTableNames(tables, problems);
  for (const table of tables) {
    checkColumnNames(table, problems);
    checkGrouping(table, problems);
    for (const column of table.columns.values()) checkColumn(column, byKey, problems);
  }
  if (file.document) checkSettings(file.document, problems);
  if (file.access) checkAccess(file.access, byKey, problems);
  for (const [at, webhook] of (file.webhooks ?? []).entries()) checkWebhook(webhook, at, { byKey, problems });
}

function checkTableNames(tables: readonly WantedTable[], problems: Problems): void {
  const keys = new Set<string>();
  const ids = new Set<string>();
  for (const { key, id, path, summaryOf } of tables) {
    if (keys.has(key)) problems.add(path, "two tables have this key");
    keys.add(key);
    if (summaryOf) continue;
    if (pickTableId(id, []) !== id) problems.add([...path, "id"], `not a table id; ${pickTableId(id, [])} is`);
    if (ids.has(id.toLowerCase())) problems.add([...path, "id"], "two tables have this id");
    ids.add(id.toLowerCase());
  }
}

function checkColumnNames({ columns }: WantedTable, problems: Problems): void {
  const ids = new Set<string>();
  for (const { file, path } of columns.values()) {
    const { id } = file;
    const isLegal = pickColumnId(id, []) === id && !isHiddenColumn(id);
    if (!isLegal) problems.add([...path, "id"], `not a column id; ${pickColumnId(id, ["manualSort"])} is`);
    if (ids.has(id.toLowerCase())) problems.add([...path, "id"], "two columns of the table have this id");
    ids.add(id.toLowerCase());
  }
}

function checkGrouping({ path, summaryOf }: WantedTable, problems: Problems): void {
  if (!summaryOf) return;
  const { source, groupBy } = summaryOf;
  for (const [at, key] of groupBy.entries()) {
    if (!source.columns.has(key)) problems.add([...path, "groupBy", at], "the table has no column with this key");
    if (groupBy.indexOf(key) !== at) problems.add([...path, "groupBy", at], "the column is listed twice");
  }
}

function checkColumn(column: WantedColumn, byKey: ReadonlyMap<string, WantedTable>, problems: Problems): void {
  const { file, path, table } = column;
  const { type, show, reverse, formula, trigger } = file;
  const target = targetKey(type);
  if (!isKnownType(type)) problems.add([...path, "type"], "not a column type");
  else if (target !== undefined && !byKey.has(target)) problems.add([...path, "type"], "no table has this key");
  if (formula !== undefined && trigger) problems.add([...path, "trigger"], "a column with a formula has no trigger");
  for (const [at, key] of (trigger?.columns ?? []).entries()) {
    if (!table.columns.has(key))
      problems.add([...path, "trigger", "columns", at], "the table has no column with this key");
  }
  if (show !== undefined && (target === undefined || !hasColumnKey(byKey.get(target), show)))
    problems.add([...path, "show"], "the referenced table has no column with this key");
  if (table.summaryOf && formula === undefined) problems.add(path, "a column of a summary needs a formula");
  if (reverse !== undefined) checkReverse(column, byKey.get(target ?? ""), problems);
}

function checkReverse({ key, path, table, file }: WantedColumn, target: WantedTable | undefined, problems: Problems) {
  const other = target?.columns.get(file.reverse ?? "");
  const isPair =
    other?.file.reverse === key &&
    targetKey(other.file.type) === table.key &&
    file.formula === undefined &&
    other.file.formula === undefined &&
    !(target === table && other.key === key);
  if (!isPair)
    problems.add(
      [...path, "reverse"],
      "must be the key of a reference column of the other table, which names this column as its reverse",
    );
}

function checkSettings({ timezone, locale, currency }: FileSettings, problems: Problems): void {
  const check = (name: string, isValid: () => unknown) => {
    try {
      isValid();
    } catch {
      problems.add(["document", name], `not a ${name}`);
    }
  };
  if (timezone !== undefined) check("timezone", () => new Intl.DateTimeFormat("en", { timeZone: timezone }));
  if (locale !== undefined) check("locale", () => Intl.getCanonicalLocales(locale));
  if (currency !== undefined) check("currency", () => new Intl.NumberFormat("en", { style: "currency", currency }));
}

function checkAccess(access: FileAccess, byKey: ReadonlyMap<string, WantedTable>, problems: Problems): void {
  for (const [at, { table, column }] of (access.userAttributes ?? []).entries()) {
    const path = ["access", "userAttributes", at];
    if (!byKey.has(table)) problems.add([...path, "table"], "no table has this key");
    else if (!hasColumnKey(byKey.get(table), column))
      problems.add([...path, "column"], "the table has no column with this key");
  }
  for (const [key, { rules = [], columns = [] }] of Object.entries(access.tables ?? {})) {
    const path = ["access", "tables", key];
    const table = byKey.get(key);
    if (!table) problems.add(path, "no table has this key");
    checkRules(rules, [...path, "rules"], problems);
    const sets = new Set<string>();
    for (const [at, set] of columns.entries()) {
      const own = [...path, "columns", at];
      for (const [c, column] of set.columns.entries()) {
        if (table && !hasColumnKey(table, column))
          problems.add([...own, "columns", c], "the table has no column with this key");
      }
      const name = set.columns.join(",");
      if (sets.has(name)) problems.add(own, "two sets of rules are for these columns");
      sets.add(name);
      checkRules(set.rules, [...own, "rules"], problems);
    }
  }
  checkRules(access.default ?? [], ["access", "default"], problems);
  for (const [name, rules] of Object.entries(access.special ?? {})) {
    checkRules(rules, ["access", "special", name], problems);
  }
}

function checkRules(rules: readonly FileRule[], path: Path, problems: Problems): void {
  let isUnreachable = false;
  for (const [at, { if: condition = "", permissions }] of rules.entries()) {
    const own = [...path, at];
    if (isUnreachable) problems.add(own, "unreachable: it follows a rule that always applies");
    isUnreachable ||= condition === "";
    if (!parsePermissions(permissions)) problems.add([...own, "permissions"], "use +R-CUD, all or none");
    if (condition !== "") checkCondition(condition, [...own, "if"], problems);
  }
}

function checkCondition(condition: string, path: Path, problems: Problems): void {
  try {
    const unknown = unknownName(parsePredicate(condition).predicate);
    if (unknown !== null) problems.add(path, `unknown name ${JSON.stringify(unknown)}`);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    problems.add(path, error.message);
  }
}

function checkWebhook(
  { table, readyColumn, watchedColumns = [] }: FileWebhook,
  at: number,
  { byKey, problems }: { byKey: ReadonlyMap<string, WantedTable>; problems: Problems },
): void {
  const path = ["webhooks", at];
  const wanted = byKey.get(table);
  if (!wanted) problems.add([...path, "table"], "no table has this key");
  for (const [name, column] of [
    ["readyColumn", readyColumn] as const,
    ...watchedColumns.map((key) => ["watchedColumns", key] as const),
  ]) {
    if (wanted && column !== undefined && !hasColumnKey(wanted, column))
      problems.add([...path, name], "the table has no column with this key");
  }
}
