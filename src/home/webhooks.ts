import { and, eq, sql } from "drizzle-orm";
import { omitUndefined } from "../lib/omit-undefined.ts";
import type { HomeDatabase } from "./database.ts";
import { documents, webhookDeliveries, webhookSecrets } from "./schema.ts";

/** The part of a webhook that is not stored in the document: its destination and credentials. */
export interface WebhookSecrets {
  readonly webhookId: string;
  readonly url: string;
  /** The Authorization header, if any. */
  readonly authorization: string | null;
  /** Additional headers. */
  readonly headers: Readonly<Record<string, string>> | null;
  /** Authorizes its holder to remove the webhook. */
  readonly unsubscribeKey: string;
  /** The key for signing deliveries. */
  readonly signingSecret: Uint8Array;
}

export type WebhookSecretsChange = {
  readonly [K in "url" | "authorization" | "headers" | "signingSecret"]?: WebhookSecrets[K] | undefined;
};

export interface WebhookStore {
  add(documentId: number, secrets: readonly WebhookSecrets[]): void;
  find(documentId: number, webhookId: string): WebhookSecrets | null;
  of(documentId: number): readonly WebhookSecrets[];
  change(documentId: number, webhookId: string, change: WebhookSecretsChange): void;
  remove(documentId: number, webhookId: string): void;
  /** Deletes the secrets of all webhooks of a document. */
  removeOf(documentId: number): void;
  /** Lists the UUIDs of all documents with webhooks. */
  documents(): string[];
  /** Whether a document has webhooks. */
  has(uuid: string): boolean;
  /** Marks a document as having pending events or unfinished jobs. Idempotent. */
  markDue(documentId: number): void;
  unmarkDue(documentId: number): void;
  /** Lists the UUIDs of the documents that are marked. */
  due(): string[];
}

export function createWebhooks({ db, clock }: HomeDatabase): WebhookStore {
  const { documentId: documentIdColumn, webhookId: webhookIdColumn } = webhookSecrets;
  const isWebhook = (documentId: number, webhookId: string) =>
    and(eq(documentIdColumn, documentId), eq(webhookIdColumn, webhookId));
  const toBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
  // Prepared once: it is read for each append to the replicated log.
  const withWebhooks = db
    .select({ id: documentIdColumn })
    .from(webhookSecrets)
    .innerJoin(documents, eq(documents.id, documentIdColumn))
    .where(eq(documents.uuid, sql.placeholder("uuid")))
    .limit(1)
    .prepare();
  return {
    add(documentId, secrets) {
      if (secrets.length === 0) return;
      const rows = secrets.map((row) => ({ ...row, documentId, signingSecret: toBuffer(row.signingSecret) }));
      db.insert(webhookSecrets).values(rows).run();
    },
    find: (documentId, webhookId) =>
      db.select().from(webhookSecrets).where(isWebhook(documentId, webhookId)).get() ?? null,
    of: (documentId) => db.select().from(webhookSecrets).where(eq(documentIdColumn, documentId)).all(),
    change(documentId, webhookId, { signingSecret, ...change }) {
      const values = omitUndefined({ ...change, signingSecret: signingSecret && toBuffer(signingSecret) });
      if (Object.keys(values).length > 0)
        db.update(webhookSecrets).set(values).where(isWebhook(documentId, webhookId)).run();
    },
    remove(documentId, webhookId) {
      db.delete(webhookSecrets).where(isWebhook(documentId, webhookId)).run();
    },
    removeOf(documentId) {
      db.delete(webhookSecrets).where(eq(documentIdColumn, documentId)).run();
    },
    documents: () =>
      db
        .selectDistinct({ uuid: documents.uuid })
        .from(webhookSecrets)
        .innerJoin(documents, eq(documents.id, documentIdColumn))
        .all()
        .map(({ uuid }) => uuid),
    has: (uuid) => withWebhooks.get({ uuid }) !== undefined,
    markDue(documentId) {
      db.insert(webhookDeliveries).values({ documentId, since: clock.now() }).onConflictDoNothing().run();
    },
    unmarkDue(documentId) {
      db.delete(webhookDeliveries).where(eq(webhookDeliveries.documentId, documentId)).run();
    },
    due: () =>
      db
        .select({ uuid: documents.uuid })
        .from(webhookDeliveries)
        .innerJoin(documents, eq(documents.id, webhookDeliveries.documentId))
        .all()
        .map(({ uuid }) => uuid),
  };
}
