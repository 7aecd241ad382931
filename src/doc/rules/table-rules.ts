import type { TableInfo } from "../schema.ts";
import type { RuleContext } from "./predicates/compile-predicate.ts";
import type { ColumnRules, Decision, Permission, RowAccess, TableRules } from "./access-types.ts";
import {
  type DisplayHelper,
  displayHelpers,
  isHelper,
  type SummaryColumns,
  summaryColumns,
} from "./derived-columns.ts";
import { OwnRowAccess } from "./rows/own-row-access.ts";
import type { Effect } from "./permissions.ts";
import { type CensoredSummary, DerivedRowAccess } from "./rows/derived-row-access.ts";
import { RowViewCache } from "./rows/row-view-cache.ts";
import type { TableRuleSets } from "./rule-sets.ts";
import type { RulesSource } from "./stored-rules.ts";
import {
  combineDecisions,
  collectMemos,
  decidingRule,
  type Memo,
  type Rule,
  strictestDecision,
  PermissionEvaluator,
} from "./permission-evaluator.ts";

/** Inputs of a caller's decisions that are the same for all tables. */
export interface TableRulesContext {
  /** A context without a row. */
  readonly context: RuleContext;
  readonly schema: RulesSource["schema"];
  /** The rules of `*:*`. */
  readonly generalRules: readonly Rule[];
  /** Returns the rules of another table. */
  table(id: string): TableAccess;
  /** Looks up all user attributes that rules may read. */
  lookUpAllAttributes(): void;
  /** Returns the effect where no rule decides. */
  defaultEffect(permission: Permission): Effect;
}

/** Technical columns that every caller who reads any part of a table can read. */
const ALWAYS_READABLE: ReadonlySet<string> = new Set(["id", "manualSort"]);

/** Rules for a column: a rule list and the columns it applies to. */
interface RuleChain {
  readonly rules: readonly Rule[];
  /** Evaluators by permission, created on first use. */
  readonly evaluators: Map<Permission, PermissionEvaluator>;
}

/** Restrictions of a table that follow from the rules of tables whose rows it displays or aggregates. */
interface DerivedReads {
  readonly helpers: readonly DisplayHelper[];
  readonly summary: { readonly columns: SummaryColumns; readonly source: TableAccess } | null;
  /** Columns that are therefore not fully readable. */
  readonly limits: ReadonlyMap<string, Decision>;
}

/** The rules of one table for one caller, each evaluated at most once. */
export class TableAccess implements TableRules {
  readonly table: TableInfo;
  readonly #caller: TableRulesContext;
  readonly #tableChain: RuleChain;
  /** In rule order: if several chains contain a column, the last counts. */
  readonly #columns: readonly { readonly ids: ReadonlySet<string>; readonly chain: RuleChain }[];
  #derivedReads: DerivedReads | undefined;

  constructor(table: TableInfo, sets: TableRuleSets | undefined, caller: TableRulesContext) {
    this.table = table;
    this.#caller = caller;
    const general = [...(sets?.whole ?? []), ...caller.generalRules];
    this.#tableChain = { rules: general, evaluators: new Map() };
    this.#columns = (sets?.columns ?? []).map(({ columns, rules }) => ({
      ids: new Set(columns),
      chain: { rules: [...rules, ...general], evaluators: new Map() },
    }));
  }

  get read(): Decision {
    const own = this.ownRead;
    const { summary, limits } = this.#derived;
    if (own === "deny" || summary?.source.ownRead === "deny") return "deny";
    return limits.size > 0 ? "mixed" : own;
  }

  /** The decision by the table's own rules, ignoring those of the tables that it displays. */
  get ownRead(): Decision {
    return this.#combinedDecision("read");
  }

  /** True when some rows may be entirely hidden from the caller. */
  get hidesRows(): boolean {
    return this.#chains.every((chain) => this.#evaluator(chain, "read").decision !== "allow") || this.#hidesGroups;
  }

  get update(): Decision {
    return this.#combinedDecision("update");
  }

  get create(): Decision {
    return this.evaluator("create").decision;
  }

  get delete(): Decision {
    return this.evaluator("delete").decision;
  }

  /** Returns the evaluator for rows as a whole or for a column. */
  evaluator(permission: Permission, columnId?: string): PermissionEvaluator {
    return this.#evaluator(this.#chainOf(columnId), permission);
  }

  column(id: string): ColumnRules {
    const own = ALWAYS_READABLE.has(id) ? "allow" : this.evaluator("read", id).decision;
    const read = strictestDecision([own, this.#derived.limits.get(id) ?? "allow"]);
    return { read, update: this.evaluator("update", id).decision };
  }

  rows(): RowAccess {
    return this.#reader({ withHelpers: true });
  }

  #reader({ withHelpers }: { withHelpers: boolean }): RowAccess {
    const parts = this.#chains.map((chain) => ({
      evaluator: this.#evaluator(chain, "read"),
      columns: this.table.columns.map(({ id }) => id).filter((id) => this.#chainOf(id) === chain),
    }));
    const own = new OwnRowAccess(parts, this.context);
    const { helpers, limits } = this.#derived;
    const censored = withHelpers ? helpers.filter(({ id }) => limits.get(id) === "mixed") : [];
    const rows = new DerivedRowAccess(own, {
      helpers: censored.map(({ id, reference, shown }) => ({ id, reference, shown: shown && this.#displayed(shown) })),
      summary: this.#censoredSummary(),
    });
    // Rows may be read in several chunks between which the document changes.
    if (rows.dependsOnRows) this.#caller.lookUpAllAttributes();
    return rows;
  }

  /** True when the column's cell may be censored in a row that is otherwise visible. */
  #isCensoredInSeenRows(id: string): boolean {
    const own = this.#chainOf(id);
    if (this.#evaluator(own, "read").decision !== "mixed") return false;
    return this.#chains.some((chain) => chain !== own && this.#evaluator(chain, "read").decision !== "deny");
  }

  #displayed({ table, column }: { table: string; column: string }): { column: string; views: RowViewCache } {
    const target = this.#caller.table(table);
    return { column, views: new RowViewCache(target.table, target.#reader({ withHelpers: false })) };
  }

  #censoredSummary(): CensoredSummary | null {
    const { summary } = this.#derived;
    if (!summary || summary.source.ownRead === "allow") return null;
    const { source, columns } = summary;
    const groupBy = columns.groupBy.map((column) => column.source);
    return {
      group: columns.group,
      groupBy,
      isGroupingDenied: groupBy.some((id) => source.column(id).read === "deny"),
      isGroupingCensored: groupBy.some((id) => source.#isCensoredInSeenRows(id)),
      aggregates: columns.aggregates,
      views: new RowViewCache(source.table, source.#reader({ withHelpers: false })),
    };
  }

  /** A context without a row. */
  get context(): RuleContext {
    return this.#caller.context;
  }

  /** True when every column of the row is denied. */
  deniesRow(permission: "read" | "update", context: RuleContext): boolean {
    return this.#chains.every((chain) => this.#evaluator(chain, permission).forRow(context) === "deny");
  }

  /** Returns the memos of the rules that contributed to a refusal. */
  memos(permission: Permission, { column, context }: { column?: string; context: RuleContext }): Memo[] {
    return collectMemos(this.#chainOf(column).rules, permission, context);
  }

  /** Returns the rule that decides about a cell of the context's row; undefined where the default applies. */
  decidingRule(permission: "read" | "update", { column, context }: { column: string; context: RuleContext }) {
    return decidingRule(this.#chainOf(column).rules, permission, context);
  }

  #combinedDecision(permission: Permission): Decision {
    return combineDecisions(this.#chains.map((chain) => this.#evaluator(chain, permission).decision));
  }

  get #chains(): RuleChain[] {
    return [this.#tableChain, ...this.#columns.map(({ chain }) => chain)];
  }

  /** True for a summary with groups of which the caller may know no row. */
  get #hidesGroups(): boolean {
    const { summary } = this.#derived;
    if (!summary) return false;
    const { source, columns } = summary;
    return source.hidesRows || columns.groupBy.some((column) => source.column(column.source).read !== "allow");
  }

  get #derived(): DerivedReads {
    if (!this.#derivedReads) {
      const { table } = this;
      const { schema } = this.#caller;
      const columns = summaryColumns(table, schema);
      const summary = columns && { columns, source: this.#caller.table(columns.source) };
      const limits = new Map<string, Decision>();
      const helpers = displayHelpers(table, schema);
      this.#derivedReads = { helpers, summary, limits };
      if (summary) this.#limitSummary(summary, limits);
      // A reference may lead back to this table, so its own columns must be known first.
      for (const helper of helpers) {
        const read = this.#helperRead(helper);
        if (read !== "allow") limits.set(helper.id, strictestDecision([limits.get(helper.id) ?? "allow", read]));
      }
    }
    return this.#derivedReads;
  }

  /** Records the restrictions of a summary's columns that follow from its source's rules. */
  #limitSummary({ columns, source }: NonNullable<DerivedReads["summary"]>, limits: Map<string, Decision>): void {
    const limit = (id: string, read: Decision) => read !== "allow" && limits.set(id, read);
    if (this.#hidesGroups) for (const { id } of this.table.columns) limit(id, "mixed");
    for (const { id, source: grouped } of columns.groupBy) limit(id, source.column(grouped).read);
    for (const [id, summed] of columns.aggregates) {
      if (summed !== null) limit(id, strictestDecision([limits.get(id) ?? "allow", source.column(summed).read]));
    }
  }

  #helperRead({ reference, shown }: DisplayHelper): Decision {
    const own = this.column(reference).read;
    if (!shown) return own;
    const target = this.#caller.table(shown.table);
    // References never display another helper in files that this server writes; in other files, helpers of helpers are
    // denied.
    if (isHelper(shown.column) || target.read === "deny") return "deny";
    return strictestDecision([own, target.column(shown.column).read, target.hidesRows ? "mixed" : "allow"]);
  }

  #chainOf(columnId: string | undefined): RuleChain {
    if (columnId === undefined) return this.#tableChain;
    return this.#columns.findLast(({ ids }) => ids.has(columnId))?.chain ?? this.#tableChain;
  }

  #evaluator({ rules, evaluators }: RuleChain, permission: Permission): PermissionEvaluator {
    let evaluator = evaluators.get(permission);
    if (!evaluator) {
      const { context } = this.#caller;
      evaluator = new PermissionEvaluator(rules, {
        permission,
        context,
        fallback: this.#caller.defaultEffect(permission),
      });
      evaluators.set(permission, evaluator);
    }
    return evaluator;
  }
}
