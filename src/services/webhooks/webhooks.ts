import { timingSafeEqual } from "node:crypto";
import type { DocumentGrant } from "../../authorization.ts";
import { invalid, notFound, unauthenticated } from "../../errors.ts";
import type { WebhookSecrets } from "../../home/webhooks.ts";
import { must } from "../../lib/assert.ts";
import { newUuid, randomRef } from "../../lib/ids.ts";
import { newSigningSecret, formatSigningSecret } from "../../webhooks/signature.ts";
import type {
  WebhookChange,
  WebhookFields,
  Webhooks,
  WebhooksCreate,
  WebhooksCreated,
  WebhookSecret,
  WebhookSubscribed,
  WebhookSubscription,
  WebhookUnsubscription,
} from "../../wire/webhooks/webhooks.ts";
import { recordAudit } from "../audit/record-audit.ts";
import type { Context } from "../context.ts";
import { requireRole } from "../access/guards.ts";

export type { AddedWebhook } from "../../hosts/documents.ts";

export interface WebhookSuccess {
  readonly success: true;
}

export const WEBHOOK_SUCCESS: WebhookSuccess = { success: true };

/**
 * Returns the webhooks created on this server, oldest first. Webhooks in a document file from another server are
 * omitted: their addresses are not in the file.
 */
export async function listWebhooks(ctx: Context, grant: DocumentGrant): Promise<Webhooks> {
  const listed = await ctx.documents.call(grant, "webhooks.list", null);
  const secrets = new Map(ctx.home.webhooks.of(grant.documentId).map((row) => [row.webhookId, row]));
  const webhooks = listed.flatMap(({ id, fields, usage }) => {
    const found = secrets.get(id);
    if (!found) return [];
    const { url, authorization, headers, unsubscribeKey } = found;
    const shown = { ...fields, eventTypes: [...fields.eventTypes], watchedColIds: [...fields.watchedColIds] };
    const more = { url, authorization: authorization ?? "", ...(headers && { headers }), unsubscribeKey };
    return [{ id, fields: { ...shown, ...more }, usage }];
  });
  return { webhooks };
}

/**
 * Creates webhooks, all or none.
 * @param withSecrets whether to return the signing secrets
 * @throws AppError `forbidden` for an address that is invalid or not allowed, `notFound` for a table or column,
 * `invalid`
 */
export async function createWebhooks(
  ctx: Context,
  grant: DocumentGrant,
  input: WebhooksCreate,
  { withSecrets = false }: { withSecrets?: boolean } = {},
): Promise<WebhooksCreated> {
  const created = await insertWebhooks(
    ctx,
    grant,
    input.webhooks.map(({ fields }) => fields),
  );
  return {
    webhooks: created.map(({ webhookId: id, signingSecret }) => ({
      id,
      ...(withSecrets && { secret: formatSigningSecret(signingSecret) }),
    })),
  };
}

/** Creates a webhook for an automation service. @throws AppError as `createWebhooks` */
export async function subscribe(
  ctx: Context,
  grant: DocumentGrant,
  tableId: string,
  input: WebhookSubscription,
): Promise<WebhookSubscribed> {
  const created = must((await insertWebhooks(ctx, grant, [{ ...input, tableId }]))[0], "webhook");
  const { unsubscribeKey, ref: triggerId, webhookId } = created;
  return { unsubscribeKey, triggerId, webhookId };
}

/**
 * Deletes a webhook for an automation service. Owners need no key.
 * @throws AppError for editors `invalid` without a key and `unauthenticated` with a wrong one; `notFound`
 */
export async function unsubscribe(
  ctx: Context,
  grant: DocumentGrant,
  { webhookId = "", unsubscribeKey = "" }: WebhookUnsubscription,
): Promise<WebhookSuccess> {
  const needsKey = grant.role !== "owners";
  if (needsKey && unsubscribeKey === "") throw invalid("unsubscribeKey is required");
  const { unsubscribeKey: key } = findSecrets(ctx, grant, webhookId);
  if (needsKey && !constantTimeEquals(key, unsubscribeKey)) throw unauthenticated("The unsubscribeKey is wrong");
  return deleteWebhook(ctx, grant, webhookId);
}

/** @throws AppError as `createWebhooks`; nothing is changed then */
export async function modifyWebhook(
  ctx: Context,
  grant: DocumentGrant,
  id: string,
  { url, authorization, headers, ...change }: WebhookChange,
): Promise<WebhookSuccess> {
  const before = findSecrets(ctx, grant, id);
  if (url !== undefined) ctx.webhooks.policy.checkUrl(url);
  await ctx.documents.call(grant, "webhooks.modify", { id, change });
  const secrets = {
    url,
    authorization: authorization === undefined ? undefined : authorization || null,
    headers: headers && headersOrNull(headers),
  };
  ctx.home.transaction(() => {
    ctx.home.webhooks.change(grant.documentId, id, secrets);
    recordWebhook(ctx, grant, { event: "webhook.changed", id, url: url ?? before.url });
  });
  // Queued events may have become deliverable.
  ctx.webhooks.wake(grant.uuid);
  return WEBHOOK_SUCCESS;
}

/** Deletes a webhook and its queue. @throws AppError `notFound` */
export async function deleteWebhook(ctx: Context, grant: DocumentGrant, id: string): Promise<WebhookSuccess> {
  const { url } = findSecrets(ctx, grant, id);
  await ctx.documents.call(grant, "webhooks.remove", { id });
  ctx.home.transaction(() => {
    ctx.home.webhooks.remove(grant.documentId, id);
    recordWebhook(ctx, grant, { event: "webhook.deleted", id, url });
  });
  return WEBHOOK_SUCCESS;
}

/** Clears the queue of one webhook, or of all with null. Ignores webhooks that do not exist. */
export async function clearQueue(ctx: Context, grant: DocumentGrant, id: string | null): Promise<WebhookSuccess> {
  await ctx.documents.call(grant, "webhooks.clear", { id });
  return WEBHOOK_SUCCESS;
}

/** Renews the signing secret of a webhook and returns it; it cannot be retrieved later. @throws AppError `notFound` */
export function renewSecret(ctx: Context, grant: DocumentGrant, id: string): WebhookSecret {
  requireRole(grant, "owners");
  const { url } = findSecrets(ctx, grant, id);
  const signingSecret = newSigningSecret();
  ctx.home.transaction(() => {
    ctx.home.webhooks.change(grant.documentId, id, { signingSecret });
    recordWebhook(ctx, grant, { event: "webhook.changed", id, url });
  });
  return { secret: formatSigningSecret(signingSecret) };
}

/** @throws AppError `notFound` */
export function findSecrets({ home }: Context, { documentId }: DocumentGrant, id: string): WebhookSecrets {
  const secrets = home.webhooks.find(documentId, id);
  if (!secrets) throw notFound("Webhook not found", "webhook.not_found");
  return secrets;
}

interface CreatedWebhook extends WebhookSecrets {
  /** Its row in the document. */
  readonly ref: number;
}

async function insertWebhooks(
  ctx: Context,
  grant: DocumentGrant,
  all: readonly WebhookFields[],
): Promise<CreatedWebhook[]> {
  requireRole(grant, "owners");
  for (const { url } of all) ctx.webhooks.policy.checkUrl(url);
  const secrets = all.map(({ url, authorization, headers = {} }): WebhookSecrets => ({
    webhookId: newUuid(),
    url,
    authorization: authorization || null,
    headers: headersOrNull(headers),
    unsubscribeKey: randomRef(32),
    signingSecret: newSigningSecret(),
  }));
  const { webhooks } = ctx.home;
  // First, so that every webhook in the document has an address.
  ctx.home.transaction(() => webhooks.add(grant.documentId, secrets));
  try {
    const added = all.map((fields, at) => ({ id: secrets[at]?.webhookId ?? "", fields }));
    const rows = await ctx.documents.call(grant, "webhooks.add", { webhooks: added });
    ctx.home.transaction(() => {
      for (const { webhookId: id, url } of secrets) recordWebhook(ctx, grant, { event: "webhook.created", id, url });
    });
    return secrets.map((secret, at) => ({ ...secret, ref: rows[at]?.ref ?? 0 }));
  } catch (error) {
    ctx.home.transaction(() => {
      for (const { webhookId } of secrets) webhooks.remove(grant.documentId, webhookId);
    });
    throw error;
  }
}

interface AuditedWebhook {
  readonly event: "webhook.created" | "webhook.changed" | "webhook.deleted";
  readonly id: string;
  readonly url: string;
}

/** Paths and queries of URLs often contain secrets: only the host is recorded. */
function recordWebhook(ctx: Context, { actor, documentId }: DocumentGrant, { event, id, url }: AuditedWebhook): void {
  const details = { host: URL.parse(url)?.host ?? null };
  recordAudit(ctx, { event, actor, documentId, target: { webhook: { id, name: "" } }, details });
}

const headersOrNull = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> | null =>
  Object.keys(headers).length > 0 ? headers : null;

/** Compares in constant time for keys of equal length. */
function constantTimeEquals(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
