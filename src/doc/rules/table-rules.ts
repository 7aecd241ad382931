import type { TableInfo } from "../schema.ts";
import type { Question } from "./compile-predicate.ts";
import type { ColumnRules, Decision, Permission, RowReader, TableRules } from "./contract.ts";
import {
  type DisplayHelper,
  displayHelpers,
  isHelper,
  type SummaryColumns,
  summaryColumns,
} from "./derived-columns.ts";
import { OwnRows } from "./own-rows.ts";
import type { Effect } from "./permissions.ts";
import { type CensoredSummary, DerivedRows } from "./row-reader.ts";
import { RowViews } from "./row-views.ts";
import type { TableSets } from "./rule-sets.ts";
import type { RulesSource } from "./stored-rules.ts";
import { joined, memosOf, type Memo, type Rule, strictest, Verdict } from "./verdict.ts";

/** What decides for one caller, whatever the table. */
export interface Caller {
  /** About no row. */
  readonly question: Question;
  readonly schema: RulesSource["schema"];
  /** The rules of `*:*`. */
  readonly everything: readonly Rule[];
  /** The rules of another table. */
  table(id: string): TableAccess;
  /** Looks up everything about him that rules may ask for. */
  lookUpAll(): void;
  /** What holds where no rule says anything. */
  fallback(permission: Permission): Effect;
}

/** Columns that are there for the program: whoever reads anything of a table reads them. */
const ALWAYS_READ: ReadonlySet<string> = new Set(["id", "manualSort"]);

/** What concerns a column: a list of rules, and the columns for which it counts. */
interface Chain {
  readonly rules: readonly Rule[];
  /** Verdicts by permission, as they were asked for. */
  readonly verdicts: Map<Permission, Verdict>;
}

/** What follows for a table from the rules of those whose rows it shows or sums up. */
interface Derivation {
  readonly helpers: readonly DisplayHelper[];
  readonly summary: { readonly columns: SummaryColumns; readonly source: TableAccess } | null;
  /** Columns of which not all is read for that reason. */
  readonly limits: ReadonlyMap<string, Decision>;
}

/** The rules of one table for one caller, each asked at most once. */
export class TableAccess implements TableRules {
  readonly table: TableInfo;
  readonly #caller: Caller;
  readonly #whole: Chain;
  /** In the order of the rules: of those for the same column, the last counts. */
  readonly #columns: readonly { readonly ids: ReadonlySet<string>; readonly chain: Chain }[];
  #found: Derivation | undefined;

  constructor(table: TableInfo, sets: TableSets | undefined, caller: Caller) {
    this.table = table;
    this.#caller = caller;
    const general = [...(sets?.whole ?? []), ...caller.everything];
    this.#whole = { rules: general, verdicts: new Map() };
    this.#columns = (sets?.columns ?? []).map(({ columns, rules }) => ({
      ids: new Set(columns),
      chain: { rules: [...rules, ...general], verdicts: new Map() },
    }));
  }

  get read(): Decision {
    const own = this.ownRead;
    const { summary, limits } = this.#derivation;
    if (own === "deny" || summary?.source.ownRead === "deny") return "deny";
    return limits.size > 0 ? "mixed" : own;
  }

  /** By the rules of the table alone, whatever it shows of others. */
  get ownRead(): Decision {
    return this.#joined("read");
  }

  /** True when there may be rows of which the caller sees nothing. */
  get hidesRows(): boolean {
    return this.#chains.every((chain) => this.#verdict(chain, "read").decision !== "allow") || this.#hidesGroups;
  }

  get update(): Decision {
    return this.#joined("update");
  }

  get create(): Decision {
    return this.verdict("create").decision;
  }

  get delete(): Decision {
    return this.verdict("delete").decision;
  }

  /** About rows as a whole, or about a column. */
  verdict(permission: Permission, columnId?: string): Verdict {
    return this.#verdict(this.#chainOf(columnId), permission);
  }

  column(id: string): ColumnRules {
    const own = ALWAYS_READ.has(id) ? "allow" : this.verdict("read", id).decision;
    const read = strictest([own, this.#derivation.limits.get(id) ?? "allow"]);
    return { read, update: this.verdict("update", id).decision };
  }

  rows(): RowReader {
    return this.#reader({ withHelpers: true });
  }

  #reader({ withHelpers }: { withHelpers: boolean }): RowReader {
    const parts = this.#chains.map((chain) => ({
      verdict: this.#verdict(chain, "read"),
      columns: this.table.columns.map(({ id }) => id).filter((id) => this.#chainOf(id) === chain),
    }));
    const own = new OwnRows(parts, this.question);
    const { helpers, limits } = this.#derivation;
    const censored = withHelpers ? helpers.filter(({ id }) => limits.get(id) === "mixed") : [];
    const rows = new DerivedRows(own, {
      helpers: censored.map(({ id, reference, shown }) => ({ id, reference, shown: shown && this.#shown(shown) })),
      summary: this.#censoredSummary(),
    });
    // Rows may be read in portions, between which the document goes on changing.
    if (rows.needsRows) this.#caller.lookUpAll();
    return rows;
  }

  /** True when the cell of a column may be hidden where another one of the row is not. */
  #isCensoredInSeenRows(id: string): boolean {
    const own = this.#chainOf(id);
    if (this.#verdict(own, "read").decision !== "mixed") return false;
    return this.#chains.some((chain) => chain !== own && this.#verdict(chain, "read").decision !== "deny");
  }

  #shown({ table, column }: { table: string; column: string }): { column: string; views: RowViews } {
    const target = this.#caller.table(table);
    return { column, views: new RowViews(target.table, target.#reader({ withHelpers: false })) };
  }

  #censoredSummary(): CensoredSummary | null {
    const { summary } = this.#derivation;
    if (!summary || summary.source.ownRead === "allow") return null;
    const { source, columns } = summary;
    const groupBy = columns.groupBy.map((column) => column.source);
    return {
      group: columns.group,
      groupBy,
      isGroupingDenied: groupBy.some((id) => source.column(id).read === "deny"),
      isGroupingCensored: groupBy.some((id) => source.#isCensoredInSeenRows(id)),
      aggregates: columns.aggregates,
      views: new RowViews(source.table, source.#reader({ withHelpers: false })),
    };
  }

  /** About no row. */
  get question(): Question {
    return this.#caller.question;
  }

  /** True when no column of the row is open. */
  deniesRow(permission: "read" | "update", question: Question): boolean {
    return this.#chains.every((chain) => this.#verdict(chain, permission).forRow(question) === "deny");
  }

  /** What the rules say of themselves that had a part in a refusal. */
  memos(permission: Permission, { column, question }: { column?: string; question: Question }): Memo[] {
    return memosOf(this.#chainOf(column).rules, permission, question);
  }

  #joined(permission: Permission): Decision {
    return joined(this.#chains.map((chain) => this.#verdict(chain, permission).decision));
  }

  get #chains(): Chain[] {
    return [this.#whole, ...this.#columns.map(({ chain }) => chain)];
  }

  /** True for a summary of which some groups may have no row that the caller knows to be in it. */
  get #hidesGroups(): boolean {
    const { summary } = this.#derivation;
    if (!summary) return false;
    const { source, columns } = summary;
    return source.hidesRows || columns.groupBy.some((column) => source.column(column.source).read !== "allow");
  }

  get #derivation(): Derivation {
    if (!this.#found) {
      const { table } = this;
      const { schema } = this.#caller;
      const columns = summaryColumns(table, schema);
      const summary = columns && { columns, source: this.#caller.table(columns.source) };
      const limits = new Map<string, Decision>();
      const helpers = displayHelpers(table, schema);
      this.#found = { helpers, summary, limits };
      if (summary) this.#limitSummary(summary, limits);
      // A reference may lead back to this table, whose columns are known by now.
      for (const helper of helpers) {
        const read = this.#helperRead(helper);
        if (read !== "allow") limits.set(helper.id, read);
      }
    }
    return this.#found;
  }

  /** Puts down for the columns of a summary what follows from the rules of its source. */
  #limitSummary({ columns, source }: NonNullable<Derivation["summary"]>, limits: Map<string, Decision>): void {
    const limit = (id: string, read: Decision) => read !== "allow" && limits.set(id, read);
    if (this.#hidesGroups) for (const { id } of this.table.columns) limit(id, "mixed");
    for (const { id, source: grouped } of columns.groupBy) limit(id, source.column(grouped).read);
    for (const [id, summed] of columns.aggregates) {
      if (summed !== null) limit(id, strictest([limits.get(id) ?? "allow", source.column(summed).read]));
    }
  }

  #helperRead({ reference, shown }: DisplayHelper): Decision {
    const own = this.column(reference).read;
    if (!shown) return own;
    const target = this.#caller.table(shown.table);
    // No program makes a reference show another helper, and files that do are not looked through.
    if (isHelper(shown.column) || target.read === "deny") return "deny";
    return strictest([own, target.column(shown.column).read, target.hidesRows ? "mixed" : "allow"]);
  }

  #chainOf(columnId: string | undefined): Chain {
    if (columnId === undefined) return this.#whole;
    return this.#columns.findLast(({ ids }) => ids.has(columnId))?.chain ?? this.#whole;
  }

  #verdict({ rules, verdicts }: Chain, permission: Permission): Verdict {
    let verdict = verdicts.get(permission);
    if (!verdict) {
      const { question } = this.#caller;
      verdict = new Verdict(rules, { permission, question, fallback: this.#caller.fallback(permission) });
      verdicts.set(permission, verdict);
    }
    return verdict;
  }
}
