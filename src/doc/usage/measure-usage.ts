import { quote } from "../../sqlite/quote.ts";
import type { OpenDocument } from "../document.ts";

/** How much of a document's file each of its parts takes, in bytes. */
export interface DocumentUsage {
  /** The whole file, without the write-ahead log. */
  readonly bytes: number;
  /** User tables, the largest first. */
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly bytes: number }[];
  /** Of user tables. */
  readonly indexes: { readonly bytes: number };
  readonly history: { readonly bytes: number; readonly states: number };
  /** `bytes` within the file; `totalBytes` of all contents, wherever they are. */
  readonly attachments: { readonly bytes: number; readonly count: number; readonly totalBytes: number };
  /** Descriptions of tables, columns and pages, and queues of webhooks and jobs. */
  readonly other: { readonly bytes: number };
  /** Pages that deleted data left, to be used again. */
  readonly free: { readonly bytes: number };
}

const HISTORY_TABLES: ReadonlySet<string> = new Set([
  "_gristsys_ActionHistory",
  "_gristsys_ActionHistoryBranch",
  "_quern_changes",
]);
const ATTACHMENT_TABLES: ReadonlySet<string> = new Set(["_gristsys_Files", "_grist_Attachments"]);

/** Measures the file. Reads all of its pages. */
export function measureUsage({ db, schema }: OpenDocument): DocumentUsage {
  const sizes = db.values(
    `select s.name, s.tbl_name, s.type, d.pgsize from dbstat d left join sqlite_schema s on s.name = d.name where d.aggregate = true`,
  );
  const parts = { indexes: 0, history: 0, attachments: 0, other: 0 };
  const tables = new Map<string, number>();
  for (const [name, table, type, size] of sizes) {
    const bytes = Number(size);
    const owner = String(table ?? name);
    if (HISTORY_TABLES.has(owner)) parts.history += bytes;
    else if (ATTACHMENT_TABLES.has(owner)) parts.attachments += bytes;
    else if (!schema.tableById.has(owner)) parts.other += bytes;
    else if (type === "index") parts.indexes += bytes;
    else tables.set(owner, bytes);
  }
  const count = (sql: string): number => Number(db.values(sql)[0]?.[0] ?? 0);
  const page = count("pragma page_size");
  return {
    bytes: page * count("pragma page_count"),
    tables: [...tables]
      .map(([table, bytes]) => ({ table, rows: count(`select count(*) from ${quote(table)}`), bytes }))
      .toSorted((a, b) => b.bytes - a.bytes),
    indexes: { bytes: parts.indexes },
    history: { bytes: parts.history, states: count("select count(*) from _gristsys_ActionHistory") },
    attachments: {
      bytes: parts.attachments,
      count: count("select count(*) from _grist_Attachments"),
      totalBytes: count(
        "select coalesce(sum(size), 0) from (select max(fileSize) as size from _grist_Attachments group by fileIdent)",
      ),
    },
    other: { bytes: parts.other },
    free: { bytes: page * count("pragma freelist_count") },
  };
}
