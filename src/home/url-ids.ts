import { and, eq } from "drizzle-orm";
import type { HomeDatabase } from "./database.ts";
import { urlIds } from "./schema.ts";

/** The addresses that documents of a site have and had. */
export interface UrlIds {
  /** The document that has the address at present; null when none has, whoever had it before. */
  documentFor(orgId: number, urlId: string): number | null;
  /** From now on the address leads to the document, wherever it led before. */
  assign(orgId: number, urlId: string, documentId: number): void;
  /** Takes all addresses from a document: it goes to another site. */
  removeAll(documentId: number): void;
}

const SELECT_DOCUMENT = `select a.document_id as id from url_ids a join documents d on d.id = a.document_id
  where a.org_id = ? and a.url_id = ? and d.url_id = a.url_id`;

export function createUrlIds({ db, raw }: HomeDatabase): UrlIds {
  return {
    documentFor: (orgId, urlId) => raw.get<{ id: number }>(SELECT_DOCUMENT, orgId, urlId)?.id ?? null,
    assign(orgId, urlId, documentId) {
      db.delete(urlIds)
        .where(and(eq(urlIds.orgId, orgId), eq(urlIds.urlId, urlId)))
        .run();
      db.insert(urlIds).values({ orgId, urlId, documentId }).run();
    },
    removeAll(documentId) {
      db.delete(urlIds).where(eq(urlIds.documentId, documentId)).run();
    },
  };
}
