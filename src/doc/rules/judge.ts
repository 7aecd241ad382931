import { forbidden } from "../../errors.ts";
import { type DocAction, isMetadataTable } from "../actions/doc-action.ts";
import { checkAttachments, mayUseAttachment } from "./attachment-cells.ts";
import type { Permission } from "./contract.ts";
import { type Demand, demandOf, isOdd } from "./demands.ts";
import type { CallerRules } from "./document-rules.ts";
import type { JudgedChange } from "./judged-change.ts";
import { blocked } from "./refusals.ts";
import type { TableAccess } from "./table-rules.ts";
import { ReadableRows } from "./readable-rows.ts";
import { type AfterRows, isRowsAction, type RowsAction, WrittenRows } from "./written-rows.ts";

/**
 * Holds what a caller does to a document against its access rules. Only his own actions are judged, not what formulas
 * and references make of them: first by what an action is, before it is done; then by the rows that it wrote, as they
 * are when the whole change is done. A refusal undoes all of it.
 */
export class Judge {
  readonly #change: JudgedChange;
  readonly #rows: WrittenRows;
  readonly #readable: ReadableRows;
  #rules: { readonly of: object; readonly caller: CallerRules } | undefined;
  #upserts = false;
  #restructures = false;
  /** Steps of a history rename tables or columns: in between, a name may mean anything. */
  #renames = false;

  constructor(change: JudgedChange) {
    this.#change = change;
    this.#rows = new WrittenRows(change);
    this.#readable = new ReadableRows(change);
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
    if (access) this.#checkReadable(access, action);
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
   * To be asked before the values of an action are looked at: whether the caller can read what it writes.
   * @param columns those that are written; none where whole rows are removed
   * @throws AppError `forbidden`
   */
  checkReadable(table: string, ids: readonly number[], columns: Iterable<string>): void {
    const access = this.#userTable(table);
    if (access) this.#readable.check(access, ids, [...columns]);
  }

  /**
   * To be asked where ids are chosen for new rows, and where all rows are written: what comes of that would tell of those
   * that are hidden.
   * @throws AppError `forbidden`
   */
  checkSeesAllRows(table: string): void {
    const access = this.#userTable(table);
    if (access) this.#readable.checkSeesAllRows(access);
  }

  /**
   * Whether the caller can read a cell, or sees a row (`id`): what is searched for must be nothing that is hidden, or its
   * value could be found out by trying.
   */
  reads(table: string, column: string, id: number): boolean {
    const rules = this.#current();
    if (rules && table === "_grist_Attachments") return mayUseAttachment(this.#change, rules, id);
    const access = this.#userTable(table);
    return !access || this.#readable.reads(access, column, id);
  }

  /** True where `reads` is true of all cells and rows of a table. */
  readsAll(table: string): boolean {
    return (this.#userTable(table)?.read ?? "allow") === "allow";
  }

  /**
   * What is left of a step of a history where something of its table is hidden: without results of formulas and rows of
   * summaries. They are computed anyway, and comparing them with what is stored would tell what that is.
   */
  withoutResults(action: DocAction): DocAction | undefined {
    if (!isRowsAction(action) || this.readsAll(action[1])) return action;
    const [name, table] = action;
    if (this.#change.schema.tableById.get(table)?.summarySourceTable) return undefined;
    if (name !== "BulkUpdateRecord") return action;
    const columns = this.#change.catalog.find(table)?.columns;
    const given = Object.entries(action[3]);
    const data = given.filter(([id]) => !columns?.get(id)?.isFormula);
    if (data.length === given.length) return action;
    return data.length === 0 ? undefined : [name, table, action[2], Object.fromEntries(data)];
  }

  #checkReadable(access: TableAccess, action: RowsAction): void {
    switch (action[0]) {
      case "BulkAddRecord":
        // Whether ids were chosen is known where rows are added.
        return;
      case "BulkUpdateRecord":
        return this.#readable.check(access, action[2], Object.keys(action[3]));
      case "BulkRemoveRecord":
        return this.#readable.check(access, action[2], []);
      case "ReplaceTableData":
        return this.#readable.checkSeesAllRows(access);
      default:
        return action satisfies never;
    }
  }

  /** The rules for a user table; null where there are none, and for a table that the metadata does not know. */
  #userTable(table: string): TableAccess | null {
    const rules = this.#current();
    return rules && this.#known(rules, table);
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
        this.#demandReading(rules, demand.table, demand.columns);
        return this.#demandRows(rules, demand.table, ["update", "create"]);
      case "odd":
        if (this.#change.options.user.access === "owners") return;
        throw forbidden("Under access rules this is for owners only", "access.rules");
      case "structure":
        return this.#demandStructure(rules, demand.extent);
      case "duplicate":
        this.#demandStructure(rules, "table");
        if (demand.withData && !rules.mayCopyEverything) this.#demandReading(rules, demand.table, []);
        return;
      default:
        return demand satisfies never;
    }
  }

  #demandStructure(rules: CallerRules, extent: "table" | "full"): void {
    this.#restructures = true;
    if (rules.structure !== "allow") throw blocked(extent, "structure", rules.structureMemos());
  }

  /** @param columns those that are searched; what others show of other tables does not matter */
  #demandReading(rules: CallerRules, table: string, columns: readonly string[]): void {
    const access = this.#known(rules, table);
    if (!access) return;
    const isRead = access.ownRead === "allow" && columns.every((id) => access.column(id).read === "allow");
    if (!isRead) throw blocked("table", "read", access.memos("read", rules));
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
