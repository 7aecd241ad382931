import { join } from "node:path";
import { applyUserActions, type Bundle, type UserAction } from "../../../src/doc/actions/engine.ts";
import { findHistoryProblems } from "../../../src/doc/check-history.ts";
import { findMetadataProblems } from "../../../src/doc/check-metadata.ts";
import { createDocumentFile } from "../../../src/doc/create.ts";
import { OpenDocument, type OpenDocumentOptions } from "../../../src/doc/document.ts";
import type { UserInfo } from "../../../src/doc/user-info.ts";
import { quote } from "../../../src/sqlite/quote.ts";
import { columnType } from "../../../src/values/column-type.ts";
import { tempFolder } from "../../helpers/folder.ts";

export interface ApplyLike {
  readonly parse?: boolean;
  readonly role?: "owners" | "editors";
  /** What else is known of whoever does it. */
  readonly user?: Partial<UserInfo>;
  readonly nowMs?: number;
  readonly rules?: "skip";
  readonly isJob?: boolean;
  readonly restores?: boolean;
}

/** Who does things to it. */
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

/** A new document in a folder of its own, and what tests do to it. */
export class Scratch implements Disposable {
  readonly document: OpenDocument;

  constructor(options: OpenDocumentOptions = {}) {
    const path = join(tempFolder(), "document.grist");
    createDocumentFile(path);
    this.document = new OpenDocument(path, { durability: "normal", ...options });
  }

  /** Does things to it, as its owner does. */
  apply(
    actions: readonly UserAction[],
    { parse = true, role = "owners", user, nowMs = 0, rules, isJob = false, restores = false }: ApplyLike = {},
  ): Bundle {
    return applyUserActions(this.document, actions, {
      parse,
      user: { ...ANN, access: role, ...user },
      nowMs,
      isJob,
      restores,
      ...(rules && { rules }),
    });
  }

  /** What the single action answers. */
  do(...action: UserAction): unknown {
    return this.apply([action]).retValues[0];
  }

  /** Rows by id, each as its cells by column; only some columns if they are named. */
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

  /** Fields of a column's record. */
  column(table: string, id: string): Record<string, unknown> {
    return { ...this.document.schema.tableById.get(table)?.columnById.get(id) };
  }

  /** Everything the file says, but for its history: what each table looks like and holds. */
  content(): Record<string, unknown> {
    const { db } = this.document;
    const names = db
      .values("select name from sqlite_master where type = 'table' order by name")
      .map(([name]) => String(name));
    return Object.fromEntries(
      names
        .filter((name) => !name.startsWith("_gristsys_"))
        .map((name) => {
          const columns = db.values(`select name, type, dflt_value from pragma_table_info(?) order by name`, name);
          const list = columns.map(([column]) => quote(String(column))).join(", ");
          return [name, { columns, rows: db.values(`select ${list} from ${quote(name)} order by id`) }];
        }),
    );
  }

  /** What the history says. */
  states(): unknown[] {
    return this.document.db.values("select id, actionNum, actionHash from _gristsys_ActionHistory order by id");
  }

  /** What a check of the document finds wrong. */
  problems(): string[] {
    return [...findMetadataProblems(this.document.db), ...findHistoryProblems(this.document.db)];
  }

  [Symbol.dispose](): void {
    this.document.close();
  }
}
