import type { OpenDocument } from "../document.ts";
import { hasTable } from "../migrations/stored-tables.ts";

/**
 * Which visitor uploaded an attachment over the link of a form, in an internal table of the document: left out of downloads and
 * copies. Only the visitor may put it into an answer.
 */

const TABLE = "_quern_form_uploads";

/** How long after the upload its visitor may use it. */
const OWNERSHIP_MS = 24 * 3_600_000;

/** Records uploads of a session. Call it in a transaction. */
export function recordUploads(document: OpenDocument, ids: readonly number[], session: string): void {
  const { db } = document;
  const nowMs = document.clock.now();
  if (!hasTable(db, TABLE)) {
    db.exec(
      `create table ${TABLE} (attachment integer primary key, session text not null, uploaded_at integer not null, ident text)`,
    );
    document.invalidateSchema();
  }
  db.run(`delete from ${TABLE} where uploaded_at <= ?`, nowMs - OWNERSHIP_MS);
  // Ids of deleted attachments are used again: the time of the upload distinguishes them.
  db.run(
    `insert or replace into ${TABLE} (attachment, session, uploaded_at, ident)
      select id, ?2, ?3, fileIdent || ' ' || timeUploaded from _grist_Attachments where id in (select value from json_each(?1))`,
    JSON.stringify(ids),
    session,
    nowMs,
  );
}

/** Returns whether a session has uploaded an attachment over a link of the document within the last day. */
export function hasUploadedOverLink(document: OpenDocument, id: number, session: string): boolean {
  const { db } = document;
  if (!hasTable(db, TABLE)) return false;
  const sql = `select 1 from ${TABLE} u join _grist_Attachments a on a.id = u.attachment
    where u.attachment = ? and u.session = ? and u.uploaded_at > ? and u.ident = a.fileIdent || ' ' || a.timeUploaded`;
  return db.values(sql, id, session, document.clock.now() - OWNERSHIP_MS).length > 0;
}
