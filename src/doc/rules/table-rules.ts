import { assert } from "../../lib/assert.ts";
import type { TableInfo } from "../schema.ts";
import type { Question } from "./compile-predicate.ts";
import type { ColumnRules, Decision, Permission, RowCells, RowReader, RowView, TableRules } from "./contract.ts";
import type { Effect } from "./permissions.ts";
import type { TableSets } from "./rule-sets.ts";
import { joined, memosOf, type Memo, type Rule, Verdict } from "./verdict.ts";

/** What decides for one caller, whatever the table. */
export interface Caller {
  /** About no row. */
  readonly question: Question;
  /** The rules of `*:*`. */
  readonly everything: readonly Rule[];
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

/** The rules of one table for one caller, each asked at most once. */
export class TableAccess implements TableRules {
  readonly table: TableInfo;
  readonly #caller: Caller;
  readonly #whole: Chain;
  /** In the order of the rules: of those for the same column, the last counts. */
  readonly #columns: readonly { readonly ids: ReadonlySet<string>; readonly chain: Chain }[];

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
    return this.#joined("read");
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
    const read = ALWAYS_READ.has(id) ? "allow" : this.verdict("read", id).decision;
    return { read, update: this.verdict("update", id).decision };
  }

  rows(): RowReader {
    const chains = [this.#whole, ...this.#columns.map(({ chain }) => chain)];
    const parts = chains.map((chain) => ({
      verdict: this.#verdict(chain, "read"),
      columns: this.table.columns
        .map(({ id }) => id)
        .filter((id) => this.#chainOf(id) === chain && !ALWAYS_READ.has(id)),
    }));
    const rows = new Rows(parts, this.#caller.question);
    // Rows may be read in portions, between which the document goes on changing.
    if (rows.needsRows) this.#caller.lookUpAll();
    return rows;
  }

  /** About no row. */
  get question(): Question {
    return this.#caller.question;
  }

  /** True when no column of the row is open. */
  deniesRow(permission: "read" | "update", question: Question): boolean {
    const chains = [this.#whole, ...this.#columns.map(({ chain }) => chain)];
    return chains.every((chain) => this.#verdict(chain, permission).forRow(question) === "deny");
  }

  /** What the rules say of themselves that had a part in a refusal. */
  memos(permission: Permission, { column, question }: { column?: string; question: Question }): Memo[] {
    return memosOf(this.#chainOf(column).rules, permission, question);
  }

  #joined(permission: Permission): Decision {
    const chains = [this.#whole, ...this.#columns.map(({ chain }) => chain)];
    return joined(chains.map((chain) => this.#verdict(chain, permission).decision));
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

interface Part {
  readonly verdict: Verdict;
  /** The columns that it decides about. */
  readonly columns: readonly string[];
}

class Rows implements RowReader {
  readonly needsRows: boolean;
  readonly columns: readonly string[];
  readonly #parts: readonly Part[];
  readonly #question: Question;
  /** Equal sets of columns are the same object. */
  readonly #views = new Map<string, RowView>();

  constructor(parts: readonly Part[], question: Question) {
    this.#parts = parts;
    this.#question = question;
    this.needsRows = parts.some(({ verdict }) => verdict.decision === "mixed");
    this.columns = [...new Set(parts.flatMap(({ verdict }) => verdict.columns))].filter((id) => id !== "id");
  }

  view(cells: RowCells): RowView {
    const question = { ...this.#question, rec: cells, newRec: cells };
    const effects = this.#parts.map(({ verdict }) => verdict.forRow(question));
    const key = effects.join();
    let view = this.#views.get(key);
    if (!view) this.#views.set(key, (view = this.#viewOf(effects)));
    return view;
  }

  #viewOf(effects: readonly Effect[]): RowView {
    assert(effects.length === this.#parts.length, "every part has its effect");
    if (effects.every((effect) => effect === "deny")) return "hidden";
    const censored = this.#parts.filter(
      // Columns that are denied for all rows are left out altogether.
      ({ verdict }, at) => effects[at] === "deny" && verdict.decision === "mixed",
    );
    const columns = censored.flatMap((part) => part.columns);
    return columns.length === 0 ? "whole" : new Set(columns);
  }
}
