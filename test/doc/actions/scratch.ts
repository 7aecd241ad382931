import { join } from "node:path";
import { applyUserActions, type AppliedActions, type UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { findHistoryProblems } from "../../../src/doc/check-history.ts";
import { findMetadataProblems } from "../../../src/doc/check-metadata.ts";
import { createDocumentFile } from "../../../src/doc/create-document.ts";
import { OpenDocument, type OpenDocumentOptions } from "../../../src/doc/document.ts";
import type { UserInfo } from "../../../src/doc/user-info.ts";
import type { Database } from "../../../src/sqlite/database.ts";
import { quote } from "../../../src/sqlite/quote.ts";
import { columnType } from "../../../src/values/column-type.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";

export interface ApplyLike {
  readonly parse?: boolean;
  readonly role?: "owners" | "editors";
  /** More properties of the user. */
  readonly user?: Partial<UserInfo>;
  readonly nowMs?: number;
  readonly rules?: "skip";
  readonly isJob?: boolean;
  readonly restores?: boolean;
}

/** The default user. */
export const ANN: UserInfo = {
  access: "owners",
  email: "ann@example.com",
  name: "Ann",
  userId: 5,
  userRef: "ann-ref",
  isLoggedIn: true,
  sessionId: "u5",
  origin: null,
  linkKey: {},
};

/** A new document in its own folder, with helpers for tests. */
export class Scratch implements Disposable {
  readonly document: OpenDocument;

  constructor(options: OpenDocumentOptions = {}, path = newDocument()) {
    this.document = new OpenDocument(path, { durability: "normal", ...options });
  }

  /** Applies actions as the owner. */
  apply(
    actions: readonly UserAction[],
    { parse = true, role = "owners", user, nowMs = 0, rules, isJob = false, restores = false }: ApplyLike = {},
  ): AppliedActions {
    return applyUserActions(this.document, actions, {
      parse,
      user: { ...ANN, access: role, ...user },
      nowMs,
      isJob,
      restores,
      ...(rules && { rules }),
    });
  }

  /** Applies a single action and returns its return value. */
  do(...action: UserAction): unknown {
    return this.apply([action]).retValues[0];
  }

  /** Returns rows by id as lists of cells, optionally restricted to some columns. */
  rows(table: string, ...columns: string[]): Record<string, unknown[]> {
    const { columns: infos = [] } = this.document.schema.tableById.get(table) ?? {};
    const shown = infos.filter(({ id }) => (columns.length > 0 ? columns.includes(id) : id !== "manualSort"));
    const ordered = columns.length > 0 ? columns.flatMap((id) => shown.find((info) => info.id === id) ?? []) : shown;
    const names = ["id", ...ordered.map(({ id }) => quote(id))].join(", ");
    const rows = this.document.db.values(`select ${names} from ${quote(table)} order by id`);
    return Object.fromEntries(
      rows.map(([id, ...cells]) => [
        String(id),
        cells.map((cell, c) => columnType(ordered[c]?.type ?? "Any").decode(cell)),
      ]),
    );
  }

  /** Returns the fields of a column's record. */
  column(table: string, id: string): Record<string, unknown> {
    return { ...this.document.schema.tableById.get(table)?.columnById.get(id) };
  }

  /** Returns the schema and content of all tables, except the history. */
  content(): Record<string, unknown> {
    return contentOf(this.document.db);
  }

  /** Returns the states of the history. */
  states(): unknown[] {
    return historyOf(this.document.db);
  }

  /** Returns the problems found by a document check. */
  problems(): string[] {
    return [...findMetadataProblems(this.document.db), ...findHistoryProblems(this.document.db)];
  }

  [Symbol.dispose](): void {
    this.document.close();
  }
}

function newDocument(): string {
  const path = join(tempFolder(), "document.grist");
  createDocumentFile(path);
  return path;
}

export const historyOf = (db: Database): unknown[] =>
  db.values("select id, actionNum, actionHash from _gristsys_ActionHistory order by id");

/**
 * Returns the schema and content of each table of a document, except the history. Cells are SQL literals, which
 * distinguish integers from whole floats.
 */
export function contentOf(db: Database): Record<string, unknown> {
  const stored = db.values(
    `select m.name, group_concat(c.name || ' ' || c.type || ' ' || coalesce(c.dflt_value, ''), char(10) order by c.name),
       group_concat('quote("' || replace(c.name, '"', '""') || '")', ', ' order by c.name)
     from sqlite_master m, pragma_table_info(m.name) c
     where m.type = 'table' and m.name not glob '_gristsys_*' and m.name not glob '_quern_*'
     group by m.name order by m.name`,
  );
  const content: Record<string, unknown> = {};
  for (const [name, columns, cells] of stored) {
    const table = String(name);
    content[table] = { columns, rows: db.values(`select ${String(cells)} from ${quote(table)} order by id`) };
  }
  return content;
}
