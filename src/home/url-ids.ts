import { and, eq } from "drizzle-orm";
import type { HomeDatabase } from "./database.ts";
import { urlIds } from "./schema.ts";

/** The addresses that documents of a site have and had. */
export interface UrlIds {
  /** The document that has the address at present; null when none has, whoever had it before. */
  holder(orgId: number, urlId: string): number | null;
  /** From now on the address leads to the document, wherever it led before. */
  give(orgId: number, urlId: string, documentId: number): void;
  /** Takes all addresses from a document: it goes to another site. */
  drop(documentId: number): void;
}

const HOLDER = `select a.document_id as id from url_ids a join documents d on d.id = a.document_id
  where a.org_id = ? and a.url_id = ? and d.url_id = a.url_id`;

export function createUrlIds({ db, raw }: HomeDatabase): UrlIds {
  return {
    holder: (orgId, urlId) => raw.get<{ id: number }>(HOLDER, orgId, urlId)?.id ?? null,
    give(orgId, urlId, documentId) {
      db.delete(urlIds)
        .where(and(eq(urlIds.orgId, orgId), eq(urlIds.urlId, urlId)))
        .run();
      db.insert(urlIds).values({ orgId, urlId, documentId }).run();
    },
    drop(documentId) {
      db.delete(urlIds).where(eq(urlIds.documentId, documentId)).run();
    },
  };
}
