import type { DocumentGrant, Role } from "../../authorization.ts";
import { AppError, forbidden, frozenError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import type { OpenDocument } from "../document.ts";
import type { SqlCondition } from "../filters/sql-condition.ts";
import type { CallerAccess } from "../rules/access-types.ts";
import type { TableInfo } from "../schema.ts";
import { userInfo } from "../user-info.ts";
import { hiddenColumns } from "./hidden-columns.ts";
import { visibleMetadata } from "./visible-metadata.ts";
import type { RestrictedRows } from "./visible-rows.ts";
import { wholeRowsCondition } from "./whole-rows.ts";
import { findReadTable, findUserTable, type ReadTable, withoutFields, withoutTargets } from "./read-table.ts";

/** A table without the columns that are hidden from the caller. */
export interface VisibleTable {
  readonly table: ReadTable;
  /** The row filter of the caller; null when all rows are fully visible. */
  readonly rows: RestrictedRows | null;
  /** Distinguishes callers who may see different rows of the same state of a document. */
  readonly readerKey: string;
  /** Returns another table as the same caller sees it; null when it does not exist, or is hidden from them. */
  readTarget(table: string): VisibleTable | null;
}

/**
 * Returns the part of a document that is visible to the caller, for the duration of one request. All reads go through
 * it.
 */
export function visibilityFor(document: OpenDocument, grant: DocumentGrant): VisibilityFilter {
  const user = userInfo(grant);
  const rules = document.accessOf(user);
  return new VisibilityFilter(document, {
    rules,
    role: user.tables ? "viewers" : grant.role,
    // Keys of one user read the same.
    readerKey: rules ? JSON.stringify({ ...user, keyId: undefined }) : "",
    tables: user.tables,
  });
}

/**
 * Required for exports of a document as a whole, to which rules cannot be applied: its file, copies, SQL, its history.
 * @throws AppError `forbidden`
 */
export function checkMayCopyEverything(document: OpenDocument, grant: DocumentGrant): void {
  const rules = document.accessOf(userInfo(grant));
  if (rules && !rules.mayCopyEverything)
    throw forbidden("Access rules hide parts of the document from you", "access.rules");
}

/** True for callers from whom rules hide nothing. */
export const seesEverything = (rules: CallerAccess | null): boolean =>
  rules === null || (rules.readsEverything && rules.mayReadMetadata);

/** True for a caller from whom access rules hide a part of the document. */
export const isRestricted = (document: OpenDocument, grant: DocumentGrant): boolean =>
  !seesEverything(document.accessOf(userInfo(grant)));

export class VisibilityFilter {
  /** Null when the document has none. */
  readonly rules: CallerAccess | null;
  readonly document: OpenDocument;
  /** As `VisibleTable.readerKey`. */
  readonly readerKey: string;
  readonly #role: Role;
  /** The tables that the caller's API key is limited to. */
  readonly #tables: readonly string[] | undefined;

  constructor(
    document: OpenDocument,
    {
      rules,
      role,
      readerKey,
      tables,
    }: { rules: CallerAccess | null; role: Role; readerKey: string; tables?: readonly string[] | undefined },
  ) {
    this.#tables = tables;
    this.rules = rules;
    this.document = document;
    this.#role = role;
    this.readerKey = readerKey;
  }

  /**
   * Returns a user or metadata table by id, or by ref where no table has that id.
   * @throws AppError `notFound`, `forbidden`
   */
  readTable(name: string): VisibleTable {
    const { schema } = this.document;
    const found = findReadTable(schema, name);
    const table = this.#tables ? withoutTargets(found, this.#tables) : found;
    const { rules } = this;
    const reader = { readerKey: this.readerKey, readTarget: this.#readTarget };
    if (!rules) return { table, rows: null, ...reader };
    const info = schema.tableById.get(table.id);
    if (!info)
      return { table: visibleMetadata(this.document, table, { rules, role: this.#role }), rows: null, ...reader };
    const access = rules.table(info.id);
    if (access.read === "deny") throw frozenError(FROZEN.blockedByRules, "table", "read");
    if (access.read === "allow") return { table, rows: null, ...reader };
    const hidden = new Set(hiddenColumns(rules, info).map(({ id }) => id));
    const views = access.rows();
    const whole = (): SqlCondition | null => wholeRowsCondition(this.document, table, views);
    const rows = views.dependsOnRows ? { table, access: views, whole } : null;
    return { table: withoutFields(table, hidden), rows, ...reader };
  }

  readonly #readTarget = (table: string): VisibleTable | null => {
    try {
      return this.readTable(table);
    } catch (error) {
      if (error instanceof AppError) return null;
      throw error;
    }
  };

  /** False for a user table that is entirely hidden. */
  canSeeTable(id: string): boolean {
    return !this.rules || !this.document.schema.tableById.has(id) || this.rules.table(id).read !== "deny";
  }

  /** Returns the visible user tables with their visible columns. */
  tables(): readonly TableInfo[] {
    const { tables } = this.document.schema;
    const { rules } = this;
    if (!rules || rules.readsEverything) return tables;
    return tables.filter(({ id }) => rules.table(id).read !== "deny").map((table) => withVisibleColumns(rules, table));
  }

  /**
   * Returns a user table with its visible columns, by id or ref.
   * @throws AppError `notFound`, also for a hidden table; `invalid` for a metadata table
   */
  userTable(name: string): TableInfo {
    const table = findUserTable(this.document.schema, name);
    const { rules } = this;
    if (!rules || rules.readsEverything) return table;
    if (rules.table(table.id).read === "deny") throw frozenError(FROZEN.tableNotFound, name);
    return withVisibleColumns(rules, table);
  }
}

function withVisibleColumns(rules: CallerAccess, table: TableInfo): TableInfo {
  const hidden = new Set(hiddenColumns(rules, table));
  if (hidden.size === 0) return table;
  const columns = table.columns.filter((column) => !hidden.has(column));
  return { ...table, columns, columnById: new Map(columns.map((column) => [column.id, column])) };
}
