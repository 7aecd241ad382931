import { forbidden } from "../../errors.ts";
import { type DocAction, isMetadataTable } from "../actions/doc-action.ts";
import { checkAttachments, canUseAttachment } from "./attachment-cells.ts";
import type { Permission } from "./access-types.ts";
import { type ActionRequirement, requirementOf, isOwnerOnlyAction } from "./action-requirements.ts";
import type { CallerRules } from "./document-rules.ts";
import type { AccessCheckedChange } from "./access-checked-change.ts";
import { rulesRefusal } from "./refusals.ts";
import type { TableAccess } from "./table-rules.ts";
import { ReadabilityChecker } from "./rows/readability-checker.ts";
import { type AfterRowsCheck, isRowAction, type RowAction, RowWriteChecks } from "./rows/row-write-checks.ts";

/**
 * Evaluates the access rules for a caller's write. Only the caller's own actions are checked, not their effects on
 * formulas and references: first by type, before an action is applied; then by the written rows, in their state at the
 * end of the change. A refusal rolls back the whole change.
 */
export class WriteAccessEvaluator {
  readonly #change: AccessCheckedChange;
  readonly #rowChecks: RowWriteChecks;
  readonly #readability: ReadabilityChecker;
  #rules: { readonly of: object; readonly caller: CallerRules | null } | undefined;
  #hasUpserts = false;
  #hasSchemaChanges = false;
  /** Set when steps of a history rename tables or columns: in between, a name may refer to anything. */
  #hasRenames = false;

  constructor(change: AccessCheckedChange) {
    this.#change = change;
    this.#rowChecks = new RowWriteChecks(change);
    this.#readability = new ReadabilityChecker(change);
  }

  /**
   * Call before an action is applied. Unknown names are left to the code that rejects them.
   * @throws AppError `forbidden`
   */
  checkAction(action: readonly unknown[], { isKnown }: { isKnown: boolean }): void {
    const rules = this.#currentRules();
    if (!rules || !(isKnown || isOwnerOnlyAction(action[0]))) return;
    this.#require(rules, requirementOf(action));
    if (this.#hasUpserts && this.#hasSchemaChanges) {
      throw forbidden(
        "Under access rules, records cannot be looked up and updated in the same request that changes tables",
        "access.rules",
      );
    }
  }

  /**
   * Call before an action that the caller requested is applied; the returned callback expects the result.
   * @throws AppError `forbidden`
   */
  checkRows(action: DocAction): AfterRowsCheck | null {
    const rules = this.#currentRules();
    if (!rules || !isRowAction(action) || isMetadataTable(action[1])) return null;
    const access = this.#rowAccessTo(rules, action[1]);
    if (access) this.#checkReadable(access, action);
    checkAttachments(this.#change, rules, action);
    return access && this.#rowChecks.beforeAction(access, action);
  }

  /**
   * Checks the rows written so far. Call at the end of the change, and before names of tables and columns change.
   * @throws AppError `forbidden`
   */
  checkPending(): void {
    this.#rowChecks.checkPending();
  }

  /**
   * Requires that the caller can read what an action writes; call before its values are examined.
   * @param columns the written columns; none when whole rows are removed
   * @throws AppError `forbidden`
   */
  checkReadable(table: string, ids: readonly number[], columns: Iterable<string>): void {
    const access = this.#accessToUserTable(table);
    if (access) this.#readability.check(access, ids, [...columns]);
  }

  /**
   * Call where the caller chooses ids for new rows, and where all rows are written: the result would reveal hidden
   * rows.
   * @throws AppError `forbidden`
   */
  checkSeesAllRows(table: string): void {
    const access = this.#accessToUserTable(table);
    if (access) this.#readability.checkSeesAllRows(access);
  }

  /**
   * Call before rows are looked up by their values, and compared with new ones.
   * @throws AppError `forbidden` unless the caller can read these columns of all rows
   */
  checkLookups(table: string, columns: readonly string[]): void {
    const rules = this.#currentRules();
    if (rules) this.#requireReading(rules, table, columns);
  }

  /**
   * True when the caller can read a cell, or sees a row (`id`). Lookups must be restricted to readable cells, or hidden
   * values could be found by trial.
   */
  canRead(table: string, column: string, id: number): boolean {
    const rules = this.#currentRules();
    if (rules && table === "_grist_Attachments") return canUseAttachment(this.#change, rules, id);
    const access = this.#accessToUserTable(table);
    return !access || this.#readability.canRead(access, column, id);
  }

  /** True when `canRead` is true for all cells and rows of a table. */
  canReadAll(table: string): boolean {
    return (this.#accessToUserTable(table)?.read ?? "allow") === "allow";
  }

  /**
   * Returns a history step without formula results and summary rows where part of its table is hidden; undefined when
   * nothing remains. These are recomputed in any case, and comparing them with the stored values would reveal the
   * latter.
   */
  withoutResults(action: DocAction): DocAction | undefined {
    if (!isRowAction(action) || this.canReadAll(action[1])) return action;
    const [name, table] = action;
    if (this.#change.schema.tableById.get(table)?.summarySourceTable) return undefined;
    if (name !== "BulkUpdateRecord") return action;
    const columns = this.#change.catalog.find(table)?.columns;
    const entries = Object.entries(action[3]);
    const data = entries.filter(([id]) => !columns?.get(id)?.isFormula);
    if (data.length === entries.length) return action;
    return data.length === 0 ? undefined : [name, table, action[2], Object.fromEntries(data)];
  }

  #checkReadable(access: TableAccess, action: RowAction): void {
    switch (action[0]) {
      case "BulkAddRecord":
        // Chosen ids are checked where rows are added.
        return;
      case "BulkUpdateRecord":
        return this.#readability.check(access, action[2], Object.keys(action[3]));
      case "BulkRemoveRecord":
        return this.#readability.check(access, action[2], []);
      case "ReplaceTableData":
        return this.#readability.checkSeesAllRows(access);
      default:
        return action satisfies never;
    }
  }

  /**
   * Returns the rules of a user table; null when the document has no rules, and for a table that the metadata do not
   * contain.
   */
  #accessToUserTable(table: string): TableAccess | null {
    const rules = this.#currentRules();
    return rules && this.#knownTable(rules, table);
  }

  #currentRules(): CallerRules | null {
    const { document, schema, options } = this.#change;
    if (!document.rules && !options.user.tables) return null;
    // The schema of the same state; the rules of a document without any are null in all states.
    const of = document.rules ?? schema;
    if (this.#rules?.of !== of) this.#rules = { of, caller: document.accessOf(options.user) };
    return this.#rules.caller;
  }

  #require(rules: CallerRules, requirement: ActionRequirement): void {
    switch (requirement.kind) {
      case "nothing":
        return;
      case "steps":
        this.#hasRenames ||= requirement.rename;
        for (const step of requirement.steps) this.#require(rules, requirementOf(step));
        return;
      case "rows":
        return this.#requireRows(rules, requirement.table, requirement.permissions);
      case "upsert":
        this.#hasUpserts = true;
        this.#requireReading(rules, requirement.table, requirement.columns);
        return this.#requireRows(rules, requirement.table, ["update", "create"]);
      case "ownerOnly":
        if (this.#change.options.user.access === "owners") return;
        throw forbidden("Under access rules, only owners can do this", "access.rules");
      case "structure":
        return this.#requireStructure(rules, requirement.extent);
      case "duplicate":
        this.#requireStructure(rules, "table");
        if (requirement.withData && !rules.mayCopyEverything) this.#requireReading(rules, requirement.table, []);
        return;
      default:
        return requirement satisfies never;
    }
  }

  #requireStructure(rules: CallerRules, extent: "table" | "full"): void {
    this.#hasSchemaChanges = true;
    if (rules.structure !== "allow") throw rulesRefusal(extent, "structure", rules.structureMemos());
  }

  /** @param columns the searched columns; columns that display other tables are irrelevant */
  #requireReading(rules: CallerRules, table: string, columns: readonly string[]): void {
    const access = this.#knownTable(rules, table);
    if (!access) return;
    const isRead = access.ownRead === "allow" && columns.every((id) => access.column(id).read === "allow");
    if (!isRead) throw rulesRefusal("table", "read", access.memos("read", rules));
  }

  #requireRows(rules: CallerRules, table: string, permissions: readonly Exclude<Permission, "structure">[]): void {
    const access = this.#knownTable(rules, table);
    const denied = permissions.find((permission) => access?.[permission] === "deny");
    if (access && denied) throw rulesRefusal("table", denied, access.memos(denied, rules));
  }

  /**
   * Returns the rules for rows of a table; null for a table that the metadata do not contain yet, whose rows are part
   * of its creation. If steps of a history rename tables or columns, rows require full structure access.
   */
  #rowAccessTo(rules: CallerRules, table: string): TableAccess | null {
    const access = this.#knownTable(rules, table);
    if (!this.#hasRenames) return access;
    if (access?.update === "allow" && access.create === "allow" && access.delete === "allow") return access;
    throw forbidden(
      "Under access rules, rows cannot be changed together with the names of tables and columns",
      "access.rules",
    );
  }

  #knownTable(rules: CallerRules, table: string): TableAccess | null {
    return this.#change.schema.tableById.has(table) ? rules.table(table) : null;
  }
}
