import type { Role } from "../../authorization.ts";
import { must } from "../../lib/assert.ts";
import type { UserInfo } from "../user-info.ts";
import type { RuleContext } from "./predicates/compile-predicate.ts";
import type { Decision, DocumentRules, Permission, CallerAccess } from "./access-types.ts";
import type { Effect } from "./permissions.ts";
import { readRuleSets, type RuleSets } from "./rule-sets.ts";
import type { RulesSource } from "./stored-rules.ts";
import { type TableRulesContext, TableAccess } from "./table-rules.ts";
import { createRuleUser } from "./user-attributes.ts";
import { type Memo, collectMemos, PermissionEvaluator } from "./permission-evaluator.ts";

/**
 * Reads and compiles the rules of a document; returns null when it has none and only the role counts. The result is
 * invalid after any change of metadata.
 */
export function readDocumentRules(source: RulesSource): CompiledRules | null {
  const sets = readRuleSets(source);
  return sets && new CompiledRules(sets, source);
}

export class CompiledRules implements DocumentRules {
  readonly sets: RuleSets;
  readonly #source: RulesSource;

  constructor(sets: RuleSets, source: RulesSource) {
    this.sets = sets;
    this.#source = source;
  }

  /** The attributes that the rules look up about users. */
  get userAttributes(): RuleSets["userAttributes"] {
    return this.sets.userAttributes;
  }

  /** The tables that user attributes are looked up in. */
  get attributeTables(): ReadonlySet<string> {
    return new Set(this.sets.userAttributes.map(({ tableId }) => tableId));
  }

  forUser(user: UserInfo): CallerRules {
    return new CallerRules(this.sets, this.#source, user);
  }
}

/** The defaults of special permissions, which concern the whole document. */
const SPECIAL_DEFAULTS: Readonly<Record<string, (role: Role) => Effect>> = {
  AccessRules: (role) => (role === "owners" ? "allow" : "deny"),
  FullCopies: (role) => (role === "owners" ? "allow" : "deny"),
  DocCopies: () => "allow",
};

/** Returns the effect of a role where no rule decides. */
const defaultEffect = (role: Role, permission: Permission): Effect =>
  role !== "viewers" || permission === "read" ? "allow" : "deny";

export class CallerRules implements CallerAccess {
  /** A context without a row. */
  readonly context: RuleContext;
  readonly #sets: RuleSets;
  readonly #source: RulesSource;
  readonly #role: Role;
  readonly #caller: TableRulesContext;
  readonly #tables = new Map<string, TableAccess>();

  constructor(sets: RuleSets, source: RulesSource, user: UserInfo) {
    this.#sets = sets;
    this.#source = source;
    this.#role = user.access;
    const ruleUser = createRuleUser(user, sets.userAttributes, source);
    this.context = { user: ruleUser.attributes };
    this.#caller = {
      context: this.context,
      schema: source.schema,
      generalRules: sets.everything,
      table: (id) => this.table(id),
      lookUpAllAttributes: () => ruleUser.lookUpAll(),
      defaultEffect: (permission) => defaultEffect(this.#role, permission),
    };
  }

  table(id: string): TableAccess {
    let table = this.#tables.get(id);
    if (!table) {
      const info = must(this.#source.schema.tableById.get(id), `table ${id}`);
      this.#tables.set(id, (table = new TableAccess(info, this.#sets.tables.get(id), this.#caller)));
    }
    return table;
  }

  get readsEverything(): boolean {
    const tables = [...this.#sets.tables.keys()];
    return this.#everything("read") === "allow" && tables.every((id) => this.table(id).read === "allow");
  }

  get mayReadMetadata(): boolean {
    return this.#everything("read") !== "deny";
  }

  get maySeeAccessRules(): boolean {
    return this.readsEverything || this.#special("AccessRules");
  }

  get mayCopyEverything(): boolean {
    if (this.#special("FullCopies")) return true;
    return this.readsEverything && this.#special("AccessRules") && this.#special("DocCopies");
  }

  get structure(): Decision {
    return this.#everything("structure");
  }

  /** Returns the memos of the rules that forbid changing tables and columns. */
  structureMemos(): Memo[] {
    return collectMemos(this.#sets.everything, "structure", this.context);
  }

  #everything(permission: Permission): Decision {
    const fallback = defaultEffect(this.#role, permission);
    return new PermissionEvaluator(this.#sets.everything, { permission, context: this.context, fallback }).decision;
  }

  #special(name: string): boolean {
    const fallback = must(SPECIAL_DEFAULTS[name], "special resource")(this.#role);
    const about = { permission: "read", context: this.context, fallback } as const;
    return new PermissionEvaluator(this.#sets.special.get(name) ?? [], about).decision === "allow";
  }
}
