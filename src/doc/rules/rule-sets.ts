import type { TableInfo } from "../schema.ts";
import { type RuleCondition, compilePredicate, RuleError } from "./predicates/compile-predicate.ts";
import { parsePredicate } from "./predicates/parse-predicate.ts";
import { all, type Effects, parsePermissions } from "./permissions.ts";
import { columnsRead, unknownName } from "./predicates/predicate.ts";
import { readStoredRules, type RulesSource, type StoredRule } from "./stored-rules.ts";
import { parseUserAttribute, type UserAttribute } from "./user-attributes.ts";
import type { Rule } from "./permission-evaluator.ts";

/** The rules for some columns of a table. */
export interface ColumnRuleSet {
  readonly columns: readonly string[];
  readonly rules: readonly Rule[];
}

export interface TableRuleSets {
  /** The rules of `Table:*`. */
  readonly whole: readonly Rule[];
  /** If several sets name a column, the last one counts for it. */
  readonly columns: readonly ColumnRuleSet[];
}

/** All rules of a document, by resource. */
export interface RuleSets {
  /** The rules of `*:*`. */
  readonly everything: readonly Rule[];
  /** The rules of existing tables. */
  readonly tables: ReadonlyMap<string, TableRuleSets>;
  /** The rules of `*SPECIAL`, by column name. */
  readonly special: ReadonlyMap<string, readonly Rule[]>;
  readonly userAttributes: readonly UserAttribute[];
}

/**
 * Reads and compiles the rules of a document; returns null when it has none. Rules written by this server have been
 * validated; rules of other files may contain anything. A rule that cannot be parsed denies access to its resource, and
 * a rule for a missing resource has no effect.
 */
export function readRuleSets(source: RulesSource): RuleSets | null {
  const stored = readStoredRules(source);
  const withoutResource = stored.filter(({ resource, permissions }) => !resource && permissions !== "");
  const withResource = stored.flatMap((rule) => (rule.resource ? [{ rule, ...rule.resource }] : []));
  if (withResource.length + withoutResource.length === 0) return null;
  const everything: Rule[] = withoutResource.length > 0 ? [OWNERS_ONLY] : [];
  const tables = new Map<string, Map<string, Rule[]>>();
  const userAttributes: UserAttribute[] = [];
  for (const { rule, tableId, colIds } of withResource) {
    if (rule.userAttributes !== "") {
      const attribute = parseUserAttribute(rule.userAttributes ?? "");
      if (attribute) userAttributes.push(attribute);
    } else if (tableId === "*") {
      everything.push(colIds === "*" ? ruleOf(rule) : withoutAllow(ruleOf(rule)));
    } else {
      const sets = tables.get(tableId) ?? new Map<string, Rule[]>();
      tables.set(tableId, sets.set(colIds, [...(sets.get(colIds) ?? []), ruleOf(rule)]));
    }
  }
  const known = [...tables].flatMap(([id, sets]) => {
    const info = source.schema.tableById.get(id);
    return info ? [[id, tableSets(info, sets)] as const] : [];
  });
  return { everything, tables: new Map(known), special: tables.get("*SPECIAL") ?? new Map(), userAttributes };
}

function tableSets({ columnById }: TableInfo, sets: ReadonlyMap<string, readonly Rule[]>): TableRuleSets {
  const columns = [...sets].flatMap(([colIds, rules]) => {
    const found = colIds.split(",").filter((id) => columnById.has(id));
    return found.length > 0 ? [{ columns: found, rules }] : [];
  });
  return { whole: sets.get("*") ?? [], columns };
}

/** Replaces rules whose resource cannot be determined. */
const OWNERS_ONLY: Rule = {
  condition: ({ user }) => user.get("Access") !== "owners",
  columns: new Set(),
  effects: all("deny"),
  memo: "The document has access rules that cannot be parsed; its owners can repair them",
};

function ruleOf(stored: StoredRule): Rule {
  const { formula, permissions, memo } = stored;
  const effects = (permissions === null ? null : parsePermissions(permissions)) ?? all("deny");
  return { ...conditionOf(formula), effects, memo, stored };
}

/** Where the resource of a rule is uncertain, its permissions must not be granted. */
const withoutAllow = (rule: Rule): Rule => ({
  ...rule,
  effects: new Map([...rule.effects].filter(([, effect]) => effect === "deny")) satisfies Effects,
});

function conditionOf(formula: string | null): Pick<Rule, "condition" | "columns" | "predicate"> {
  if (formula === "") return { condition: null, columns: new Set() };
  try {
    if (formula === null) throw new RuleError("its formula is not a string");
    const { predicate } = parsePredicate(formula);
    const unknown = unknownName(predicate);
    if (unknown !== null) throw new RuleError(`unknown name ${unknown}`);
    return { condition: compilePredicate(predicate), columns: columnsRead(predicate), predicate };
  } catch (error) {
    return {
      condition: failingCondition(error instanceof Error ? error.message : "its formula cannot be parsed"),
      columns: new Set(),
    };
  }
}

const failingCondition =
  (message: string): RuleCondition =>
  () => {
    throw new RuleError(message);
  };
