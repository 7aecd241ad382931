import { and, eq } from "drizzle-orm";
import type { HomeDatabase } from "./database.ts";
import { urlIds } from "./schema.ts";

/** Current and former urlIds of a site's documents. */
export interface UrlIds {
  /** Returns the document that currently has the urlId; null when none does, even if one had it before. */
  documentFor(orgId: number, urlId: string): number | null;
  /** Assigns the urlId to the document, whichever document had it before. */
  assign(orgId: number, urlId: string, documentId: number): void;
  /** Removes all urlIds of a document, which moves to another site. */
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
