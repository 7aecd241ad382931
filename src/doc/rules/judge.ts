import { forbidden } from "../../errors.ts";
import { type DocAction, isMetadataTable } from "../actions/doc-action.ts";
import { checkAttachments } from "./attachment-cells.ts";
import type { Permission } from "./contract.ts";
import { type Demand, demandOf, isOdd } from "./demands.ts";
import type { CallerRules } from "./document-rules.ts";
import type { JudgedChange } from "./judged-change.ts";
import { blocked } from "./refusals.ts";
import type { TableAccess } from "./table-rules.ts";
import { readRuleRows } from "./table-rows.ts";
import { type AfterRows, isRowsAction, WrittenRows } from "./written-rows.ts";

/**
 * Holds what a caller does to a document against its access rules. Only his own actions are judged, not what formulas
 * and references make of them: first by what an action is, before it is done; then by the rows that it wrote, as they
 * are when the whole change is done. A refusal undoes all of it.
 */
export class Judge {
  readonly #change: JudgedChange;
  readonly #rows: WrittenRows;
  #rules: { readonly of: object; readonly caller: CallerRules } | undefined;
  #upserts = false;
  #restructures = false;
  /** Steps of a history rename tables or columns: in between, a name may mean anything. */
  #renames = false;

  constructor(change: JudgedChange) {
    this.#change = change;
    this.#rows = new WrittenRows(change);
  }

  /**
   * To be asked before an action is done. Names that nobody knows are left to whoever refuses them.
   * @throws AppError `forbidden`
   */
  beforeAction(action: readonly unknown[], { isKnown }: { isKnown: boolean }): void {
    const rules = this.#current();
    if (!rules || !(isKnown || isOdd(action[0]))) return;
    this.#demand(rules, demandOf(action));
    if (this.#upserts && this.#restructures) {
      throw forbidden(
        "Under access rules, records cannot be found and updated together with changes of tables",
        "access.rules",
      );
    }
  }

  /**
   * To be asked before something that the caller wants himself is applied. What it gives back is to be told what came
   * of it.
   * @throws AppError `forbidden`
   */
  beforeRows(action: DocAction): AfterRows | null {
    const rules = this.#current();
    if (!rules || !isRowsAction(action) || isMetadataTable(action[1])) return null;
    const access = this.#accessTo(rules, action[1]);
    checkAttachments(this.#change, rules, action);
    return access && this.#rows.before(access, action);
  }

  /**
   * Judges the rows that were written so far: at the end of the change, and before names of tables and columns change.
   * @throws AppError `forbidden`
   */
  settle(): void {
    this.#rows.settle();
  }

  /**
   * Whether the caller can read a cell: what he may search for by its value must be nothing that is hidden from him,
   * or he would learn it by trying.
   */
  sees(table: string, column: string, id: number): boolean {
    const rules = this.#current();
    const access = rules && this.#known(rules, table);
    if (!access || access.read === "allow") return true;
    if (access.column(column).read === "deny") return false;
    const reader = access.rows();
    const { db, catalog } = this.#change;
    const row = readRuleRows(db, catalog.table(table), { columns: reader.columns, ids: [id] }).get(id);
    const view = row ? reader.view(row) : "hidden";
    return view === "whole" || (view !== "hidden" && !view.has(column));
  }

  #current(): CallerRules | null {
    const { rules } = this.#change.document;
    if (!rules) return null;
    if (this.#rules?.of !== rules) this.#rules = { of: rules, caller: rules.for(this.#change.options.user) };
    return this.#rules.caller;
  }

  #demand(rules: CallerRules, demand: Demand): void {
    switch (demand.kind) {
      case "nothing":
        return;
      case "steps":
        this.#renames ||= demand.rename;
        for (const step of demand.steps) this.#demand(rules, demandOf(step));
        return;
      case "rows":
        return this.#demandRows(rules, demand.table, demand.permissions);
      case "upsert":
        this.#upserts = true;
        this.#demandReading(rules, demand.table);
        return this.#demandRows(rules, demand.table, ["update", "create"]);
      case "odd":
        if (this.#change.options.user.access === "owners") return;
        throw forbidden("Under access rules this is for owners only", "access.rules");
      case "structure":
        return this.#demandStructure(rules, demand.extent);
      case "duplicate":
        this.#demandStructure(rules, "table");
        if (demand.withData && !rules.mayCopyEverything) this.#demandReading(rules, demand.table);
        return;
      default:
        return demand satisfies never;
    }
  }

  #demandStructure(rules: CallerRules, extent: "table" | "full"): void {
    this.#restructures = true;
    if (rules.structure !== "allow") throw blocked(extent, "structure", rules.structureMemos());
  }

  #demandReading(rules: CallerRules, table: string): void {
    const access = this.#known(rules, table);
    if (access && access.read !== "allow") throw blocked("table", "read", access.memos("read", rules));
  }

  #demandRows(rules: CallerRules, table: string, permissions: readonly Exclude<Permission, "structure">[]): void {
    const access = this.#known(rules, table);
    const denied = permissions.find((permission) => access?.[permission] === "deny");
    if (access && denied) throw blocked("table", denied, access.memos(denied, rules));
  }

  /**
   * What holds for rows of a table; null for one that the metadata does not know yet: its rows are part of making it.
   * Where steps of a history rename things, rows are for those who may do anything with them.
   */
  #accessTo(rules: CallerRules, table: string): TableAccess | null {
    const access = this.#known(rules, table);
    if (!this.#renames) return access;
    if (access?.update === "allow" && access.create === "allow" && access.delete === "allow") return access;
    throw forbidden(
      "Under access rules, rows cannot be changed together with the names of tables and columns",
      "access.rules",
    );
  }

  #known(rules: CallerRules, table: string): TableAccess | null {
    return this.#change.schema.tableById.has(table) ? rules.table(table) : null;
  }
}
