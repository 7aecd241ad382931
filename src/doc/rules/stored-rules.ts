import type { Database, SqlValue } from "../../sqlite/database.ts";
import type { Schema } from "../schema.ts";

/** The metadata tables of access rules as they are stored, whether or not they can be parsed. */

/** Where rules and user attributes are read from. */
export interface RulesSource {
  readonly db: Database;
  readonly schema: Schema;
}

export interface StoredResource {
  readonly id: number;
  /** A table id, `*` or `*SPECIAL`. A resource without a table id or columns is ignored with its rules. */
  readonly tableId: string;
  /** Comma-separated column ids, or `*`. */
  readonly colIds: string;
}

export interface StoredRule {
  readonly id: number;
  /** The resource of the rule; undefined where it does not exist. */
  readonly resource: StoredResource | undefined;
  /** Null when the cell is not text; so for the following fields. */
  readonly formula: string | null;
  readonly permissions: string | null;
  /** JSON. */
  readonly userAttributes: string | null;
  readonly memo: string;
}

/** Returns the rules in evaluation order, without those of ignored resources. */
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

/** Returns the text of a cell: empty for an empty cell, null when it is not text. */
const textOf = (cell: SqlValue | undefined): string | null =>
  cell === null || cell === undefined ? "" : typeof cell === "string" ? cell : null;

/** Reads the rows of a table. Columns missing from the file read as null; rows without a numeric position come last. */
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
