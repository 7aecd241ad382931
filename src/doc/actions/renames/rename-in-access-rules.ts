import type { InferredType } from "../../../formula/names/inferred-type.ts";
import { NameReferenceFinder } from "../../../formula/names/reference-finder.ts";
import { mayContainName, applyNameReplacement } from "../../../formula/names/apply-name-replacement.ts";
import { parsedFormulaText } from "../../rules/predicates/predicate-json.ts";
import type { Change } from "../change.ts";
import { updateMetadata } from "../metadata.ts";

/**
 * Updates access rules after a rename: the tables and columns of resources, the columns that formulas read of the
 * record or of user attributes, and the lookup tables and columns of user attributes.
 */

const RESOURCES = "_grist_ACLResources";
const RULES = "_grist_ACLRules";

export function propagateTableRenameToRules(change: Change, from: string, to: string): void {
  for (const [id] of change.db.values(`select id from ${RESOURCES} where tableId = ?`, from)) {
    updateMetadata(change, RESOURCES, Number(id), { tableId: to });
  }
  for (const { id, attribute } of userAttributes(change)) {
    if (attribute["tableId"] === from) setAttribute(change, id, { ...attribute, tableId: to });
  }
}

export interface ColumnRename {
  readonly table: string;
  readonly from: string;
  readonly to: string;
}

export function propagateColumnRenameToRules(change: Change, rename: ColumnRename): void {
  const { table, from, to } = rename;
  const resources = change.db.values(`select id, colIds from ${RESOURCES} where tableId = ?`, table);
  for (const [id, colIds] of resources) {
    const names = String(colIds).split(",");
    const renamed = names.map((name) => (name === from ? to : name)).join(",");
    if (renamed !== colIds) updateMetadata(change, RESOURCES, Number(id), { colIds: renamed });
  }
  const lookedUp: string[] = [];
  for (const { id, attribute } of userAttributes(change)) {
    if (attribute["tableId"] !== table) continue;
    if (typeof attribute["name"] === "string") lookedUp.push(attribute["name"]);
    if (attribute["lookupColId"] === from) setAttribute(change, id, { ...attribute, lookupColId: to });
  }
  renameInRuleFormulas(change, { rename, ownResources: new Set(resources.map(([id]) => Number(id))), lookedUp });
}

function renameInRuleFormulas(
  change: Change,
  { rename, ownResources, lookedUp }: { rename: ColumnRename; ownResources: ReadonlySet<number>; lookedUp: string[] },
): void {
  const { table, from, to } = rename;
  // In rules a reference is a number, so no column leads to another table.
  const reader = new NameReferenceFinder({ tableById: new Map() });
  const record: InferredType = { kind: "record", table };
  const user: InferredType = { kind: "object", attributes: new Map(lookedUp.map((name) => [name, record])) };
  const rules = change.db.values(`select id, resource, aclFormula from ${RULES}`);
  for (const [id, resource, formula] of rules) {
    if (typeof formula !== "string" || !mayContainName(formula, from)) continue;
    const records = ownResources.has(Number(resource)) ? ["rec", "newRec"] : [];
    const knownNames = new Map<string, InferredType>([
      ["user", user],
      ...records.map((name) => [name, record] as const),
    ]);
    const renamed = applyNameReplacement(formula, reader.findReferencesWithGlobals(formula, knownNames), {
      table,
      column: from,
      to,
    });
    if (renamed === formula) continue;
    const tree = parsedText(renamed);
    updateMetadata(change, RULES, Number(id), {
      aclFormula: renamed,
      ...(tree !== null && { aclFormulaParsed: tree }),
    });
  }
}

/** Returns null for a formula that cannot be parsed: imported files may contain anything. */
function parsedText(formula: string): string | null {
  try {
    return parsedFormulaText(formula);
  } catch {
    return null;
  }
}

function userAttributes(change: Change): { id: number; attribute: Record<string, unknown> }[] {
  const rows = change.db.values(`select id, userAttributes from ${RULES} where userAttributes like '{%'`);
  return rows.flatMap(([id, text]) => {
    const attribute = parsed(String(text));
    return attribute ? [{ id: Number(id), attribute }] : [];
  });
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const setAttribute = (change: Change, id: number, attribute: object): void =>
  updateMetadata(change, RULES, id, { userAttributes: JSON.stringify(attribute) });
