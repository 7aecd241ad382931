import type { Database, SqlValue } from "../../sqlite/database.ts";
import type { Schema } from "../schema.ts";

/** The tables that hold access rules, as they are stored, understood or not. */

/** Where rules and what they look up are read from. */
export interface RulesSource {
  readonly db: Database;
  readonly schema: Schema;
}

export interface StoredResource {
  readonly id: number;
  /** A table, `*` or `*SPECIAL`. Without it, or without columns, the resource and its rules count for nothing. */
  readonly tableId: string;
  /** Columns with commas between them, or `*`. */
  readonly colIds: string;
}

export interface StoredRule {
  readonly id: number;
  /** The resource it is about; undefined where there is no such resource. */
  readonly resource: StoredResource | undefined;
  /** Null for what is no text; so for the following. */
  readonly formula: string | null;
  readonly permissions: string | null;
  /** JSON. */
  readonly userAttributes: string | null;
  readonly memo: string;
}

/** The rules in the order in which they apply, but for those of resources that count for nothing. */
export function readStoredRules({ db, schema }: RulesSource): StoredRule[] {
  const resources = new Map(readResources({ db, schema }).map((resource) => [resource.id, resource]));
  const names = ["id", "resource", "aclFormula", "permissionsText", "userAttributes", "memo"];
  return rowsOf({ db, schema }, "_grist_ACLRules", { names, order: "rulePos" })
    .map(([id, resource, formula, permissions, userAttributes, memo]) => ({
      id: Number(id),
      resource: resources.get(Number(resource)),
      formula: textOf(formula),
      permissions: textOf(permissions),
      userAttributes: textOf(userAttributes),
      memo: textOf(memo) ?? "",
    }))
    .filter(({ resource }) => !resource || (resource.tableId !== "" && resource.colIds !== ""));
}

const readResources = (source: RulesSource): StoredResource[] =>
  rowsOf(source, "_grist_ACLResources", { names: ["id", "tableId", "colIds"], order: "id" }).map(
    ([id, tableId, colIds]) => ({ id: Number(id), tableId: textOf(tableId) ?? "", colIds: textOf(colIds) ?? "" }),
  );

/** The text of a cell; empty for none, null for what is no text. */
const textOf = (cell: SqlValue | undefined): string | null =>
  cell === null || cell === undefined ? "" : typeof cell === "string" ? cell : null;

/** Columns that the file lacks read as null. Rows without a number to order them by come last. */
function rowsOf(
  { db, schema }: RulesSource,
  table: string,
  { names, order }: { names: readonly string[]; order: string },
): SqlValue[][] {
  const stored = schema.stored.get(table.toLowerCase());
  if (!stored) return [];
  const column = (name: string) => (stored.has(name.toLowerCase()) ? name : "null");
  const position = column(order);
  return db.values(
    `select ${names.map(column).join(", ")} from ${table}
     order by typeof(${position}) not in ('integer', 'real'), ${position}, id`,
  );
}
