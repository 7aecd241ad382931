import { invalid } from "../../errors.ts";
import type { Schema } from "../schema.ts";
import { parsePermissions } from "./permissions.ts";
import { parsePredicate } from "./predicates/parse-predicate.ts";
import { unknownName } from "./predicates/predicate.ts";
import { readStoredRules, type RulesSource, type StoredResource, type StoredRule } from "./stored-rules.ts";
import { parseUserAttribute } from "./user-attributes.ts";

/**
 * Validates all rules of a document against its schema. Call after any rule was written: a rule that would not have its
 * stated effect must not be stored.
 * @throws AppError `invalid` naming the rule
 */
export function checkRules(source: RulesSource): void {
  const byResource = new Map<StoredResource, StoredRule[]>();
  for (const rule of readStoredRules(source)) {
    if (!rule.resource) throw invalid(`Access rule ${rule.id} refers to a resource that does not exist`);
    byResource.set(rule.resource, [...(byResource.get(rule.resource) ?? []), rule]);
  }
  checkResources([...byResource.keys()], source.schema);
  for (const [resource, rules] of byResource) checkOrder(resource, rules, source.schema);
}

function checkResources(resources: readonly StoredResource[], schema: Schema): void {
  const known = new Set<string>();
  for (const { tableId, colIds } of resources) {
    const name = `${tableId}:${colIds}`;
    if (known.has(name)) throw invalid(`Access rules contain two resources for ${name}`);
    known.add(name);
    if (tableId === "*" && colIds !== "*")
      throw invalid(`${name} in access rules: a resource for all tables cannot name columns`);
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

/** Validates the order of the rules of one resource. */
function checkOrder(resource: StoredResource, rules: readonly StoredRule[], schema: Schema): void {
  let isUnreachable = false;
  for (const rule of rules) {
    if (rule.userAttributes !== "") {
      checkAttribute(resource, rule, schema);
      continue;
    }
    if (isUnreachable) throw invalid(`Access rule ${rule.id} is unreachable: it follows a rule that always applies`);
    isUnreachable = rule.formula === "";
    checkRule(rule);
  }
}

function checkRule({ id, formula, permissions }: StoredRule): void {
  if (permissions === null || !parsePermissions(permissions)) {
    throw invalid(`Access rule ${id} has invalid permissions: use +R-CUD, all or none`);
  }
  if (formula === null) throw invalid(`The formula of access rule ${id} must be a string`);
  const unknown = formula === "" ? null : unknownName(parsePredicate(formula).predicate);
  if (unknown !== null) throw invalid(`Unknown name ${JSON.stringify(unknown)} in access rule ${id}`);
}

function checkAttribute({ tableId, colIds }: StoredResource, rule: StoredRule, schema: Schema): void {
  if (tableId !== "*" || colIds !== "*") {
    throw invalid(`Access rule ${rule.id} has user attributes; only rules for *:* can have them`);
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
