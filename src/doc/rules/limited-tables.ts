/** The access of an API key that is limited to tables: that of its user, as if rules denied everything else. */
import { CompiledRules } from "./document-rules.ts";
import type { Rule } from "./permission-evaluator.ts";
import { all, type Effects } from "./permissions.ts";
import type { RuleSets, TableRuleSets } from "./rule-sets.ts";
import type { RulesSource } from "./stored-rules.ts";

const MEMO = "The API key is limited to other tables";

const denial = (effects: Effects): Rule => ({ condition: null, columns: new Set(), effects, memo: MEMO });

const NO_STRUCTURE = denial(new Map([["structure", "deny"]]));
const NOTHING: TableRuleSets = { whole: [denial(all("deny"))], columns: [] };
const NO_RULES: RuleSets = { everything: [], tables: new Map(), special: new Map(), userAttributes: [] };

/** The permissions that concern a document as a whole. */
const WHOLE_DOCUMENT = ["AccessRules", "FullCopies", "DocCopies"];

/**
 * Returns the rules of a document with denials before them: of all tables but the given ones, of changes of tables and
 * columns, and of everything that concerns the whole document.
 * @param rules null when the document has none
 */
export function limitToTables(
  rules: CompiledRules | null,
  source: RulesSource,
  tables: readonly string[],
): CompiledRules {
  const sets = rules?.sets ?? NO_RULES;
  const denied = source.schema.tables.filter(({ id }) => !tables.includes(id));
  return new CompiledRules(
    {
      everything: [NO_STRUCTURE, ...sets.everything],
      tables: new Map([...sets.tables, ...denied.map(({ id }) => [id, NOTHING] as const)]),
      special: new Map(WHOLE_DOCUMENT.map((name) => [name, [denial(all("deny"))]])),
      userAttributes: sets.userAttributes,
    },
    source,
  );
}
