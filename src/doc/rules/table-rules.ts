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
  type Memo,
  type Rule,
  strictestDecision,
  PermissionEvaluator,
} from "./permission-evaluator.ts";

/** What decides for one caller, whatever the table. */
export interface TableRulesContext {
  /** About no row. */
  readonly context: RuleContext;
  readonly schema: RulesSource["schema"];
  /** The rules of `*:*`. */
  readonly generalRules: readonly Rule[];
  /** The rules of another table. */
  table(id: string): TableAccess;
  /** Looks up everything about him that rules may ask for. */
  lookUpAllAttributes(): void;
  /** What holds where no rule says anything. */
  defaultEffect(permission: Permission): Effect;
}

/** Columns that are there for the program: whoever reads anything of a table reads them. */
const ALWAYS_READABLE: ReadonlySet<string> = new Set(["id", "manualSort"]);

/** What concerns a column: a list of rules, and the columns for which it counts. */
interface RuleChain {
  readonly rules: readonly Rule[];
  /** Verdicts by permission, as they were asked for. */
  readonly evaluators: Map<Permission, PermissionEvaluator>;
}

/** What follows for a table from the rules of those whose rows it shows or sums up. */
interface DerivedReads {
  readonly helpers: readonly DisplayHelper[];
  readonly summary: { readonly columns: SummaryColumns; readonly source: TableAccess } | null;
  /** Columns of which not all is read for that reason. */
  readonly limits: ReadonlyMap<string, Decision>;
}

/** The rules of one table for one caller, each asked at most once. */
export class TableAccess implements TableRules {
  readonly table: TableInfo;
  readonly #caller: TableRulesContext;
  readonly #tableChain: RuleChain;
  /** In the order of the rules: of those for the same column, the last counts. */
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

  /** By the rules of the table alone, whatever it shows of others. */
  get ownRead(): Decision {
    return this.#combinedDecision("read");
  }

  /** True when there may be rows of which the caller sees nothing. */
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

  /** About rows as a whole, or about a column. */
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
    // Rows may be read in portions, between which the document goes on changing.
    if (rows.dependsOnRows) this.#caller.lookUpAllAttributes();
    return rows;
  }

  /** True when the cell of a column may be hidden where another one of the row is not. */
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

  /** About no row. */
  get context(): RuleContext {
    return this.#caller.context;
  }

  /** True when no column of the row is open. */
  deniesRow(permission: "read" | "update", context: RuleContext): boolean {
    return this.#chains.every((chain) => this.#evaluator(chain, permission).forRow(context) === "deny");
  }

  /** What the rules say of themselves that had a part in a refusal. */
  memos(permission: Permission, { column, context }: { column?: string; context: RuleContext }): Memo[] {
    return collectMemos(this.#chainOf(column).rules, permission, context);
  }

  #combinedDecision(permission: Permission): Decision {
    return combineDecisions(this.#chains.map((chain) => this.#evaluator(chain, permission).decision));
  }

  get #chains(): RuleChain[] {
    return [this.#tableChain, ...this.#columns.map(({ chain }) => chain)];
  }

  /** True for a summary of which some groups may have no row that the caller knows to be in it. */
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
      // A reference may lead back to this table, whose columns are known by now.
      for (const helper of helpers) {
        const read = this.#helperRead(helper);
        if (read !== "allow") limits.set(helper.id, read);
      }
    }
    return this.#derivedReads;
  }

  /** Puts down for the columns of a summary what follows from the rules of its source. */
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
    // No program makes a reference show another helper, and files that do are not looked through.
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
