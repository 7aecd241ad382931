import { invalid } from "../../errors.ts";
import type { Schema } from "../schema.ts";
import { parsePermissions } from "./permissions.ts";
import { parsePredicate } from "./predicates/parse-predicate.ts";
import { unknownName } from "./predicates/predicate.ts";
import { readStoredRules, type RulesSource, type StoredResource, type StoredRule } from "./stored-rules.ts";
import { parseUserAttribute } from "./user-attributes.ts";

/**
 * Holds all rules of a document against what it is: to be asked after any of them was written. Rules are about who sees
 * what, so none is stored that would not do what it says.
 * @throws AppError `invalid` naming what is wrong
 */
export function checkRules(source: RulesSource): void {
  const byResource = new Map<StoredResource, StoredRule[]>();
  for (const rule of readStoredRules(source)) {
    if (!rule.resource) throw invalid(`Access rule ${rule.id} is for a resource that does not exist`);
    byResource.set(rule.resource, [...(byResource.get(rule.resource) ?? []), rule]);
  }
  checkResources([...byResource.keys()], source.schema);
  for (const [resource, rules] of byResource) checkOrder(resource, rules, source.schema);
}

function checkResources(resources: readonly StoredResource[], schema: Schema): void {
  const known = new Set<string>();
  for (const { tableId, colIds } of resources) {
    const name = `${tableId}:${colIds}`;
    if (known.has(name)) throw invalid(`There are two resources for ${name} in access rules`);
    known.add(name);
    if (tableId === "*" && colIds !== "*")
      throw invalid(`${name} in access rules: columns of all tables cannot be named`);
  }
  const tables = resources.map(({ tableId }) => tableId).filter((id) => id !== "*" && id !== "*SPECIAL");
  const missingTables = [...new Set(tables)].filter((id) => !schema.tableById.has(id));
  if (missingTables.length > 0) throw invalid(`Invalid tables in rules: ${missingTables.join(", ")}`);
  for (const { tableId, colIds } of resources) {
    if (colIds !== "*" && schema.tableById.has(tableId)) checkColumns(tableId, colIds.split(","), schema);
  }
}

function checkColumns(tableId: string, ids: readonly string[], schema: Schema): void {
  const missingColumns = ids.filter((id) => !schema.tableById.get(tableId)?.columnById.has(id));
  if (missingColumns.length > 0)
    throw invalid(`Invalid columns in rules: ${missingColumns.map((id) => `${tableId}.${id}`).join(", ")}`);
}

/** The rules of one resource, in their order. */
function checkOrder(resource: StoredResource, rules: readonly StoredRule[], schema: Schema): void {
  let isUnreachable = false;
  for (const rule of rules) {
    if (rule.userAttributes !== "") {
      checkAttribute(resource, rule, schema);
      continue;
    }
    if (isUnreachable) throw invalid(`Access rule ${rule.id} comes after one that always applies`);
    isUnreachable = rule.formula === "";
    checkRule(rule);
  }
}

function checkRule({ id, formula, permissions }: StoredRule): void {
  if (permissions === null || !parsePermissions(permissions)) {
    throw invalid(`Access rule ${id} has permissions that cannot be read: they look like +R-CUD, all or none`);
  }
  if (formula === null) throw invalid(`The formula of access rule ${id} is no text`);
  const unknown = formula === "" ? null : unknownName(parsePredicate(formula).predicate);
  if (unknown !== null) throw invalid(`Unknown name ${JSON.stringify(unknown)} in access rule ${id}`);
}

function checkAttribute({ tableId, colIds }: StoredResource, rule: StoredRule, schema: Schema): void {
  if (tableId !== "*" || colIds !== "*") {
    throw invalid(`Access rule ${rule.id} has user attributes, which only rules for *:* can have`);
  }
  const attribute = parseUserAttribute(rule.userAttributes ?? "");
  if (!attribute) {
    throw invalid(
      `The user attributes of access rule ${rule.id} must be JSON with name, tableId, lookupColId and charId`,
    );
  }
  if (!schema.tableById.has(attribute.tableId)) throw invalid(`Invalid tables in rules: ${attribute.tableId}`);
  checkColumns(attribute.tableId, [attribute.lookupColId], schema);
}
