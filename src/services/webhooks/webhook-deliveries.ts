import type { DocumentGrant } from "../../authorization.ts";
import type { Attempt } from "../../hosts/documents.ts";
import { isoTime } from "../../lib/time/clock.ts";
import { newUuid } from "../../lib/ids.ts";
import type {
  WebhookSendResult,
  WebhookDeliveries,
  WebhookDelivery,
  WebhookDeliveryContent,
} from "../../wire/webhooks/webhooks.ts";
import type { DeliveryMessage } from "../../webhooks/deliverer.ts";
import type { Context } from "../context.ts";
import { findSecrets } from "./webhooks.ts";

/** Returns the latest delivery attempts of a webhook, newest first. @throws AppError `notFound` */
export async function listDeliveries(ctx: Context, grant: DocumentGrant, id: string): Promise<WebhookDeliveries> {
  const attempts = await ctx.documents.call(grant, "webhooks.attempts", { id });
  return {
    deliveries: attempts.map(toWebhookDelivery),
  };
}

const toWebhookDelivery = ({ id, batch, size, number, outcome }: Attempt): WebhookDelivery => ({
  id,
  messageId: batch,
  time: isoTime(outcome.at),
  durationMs: outcome.durationMs,
  size,
  attempt: number,
  status: outcome.isSuccess ? "success" : "failure",
  httpStatus: outcome.httpStatus,
  errorMessage: outcome.message,
});

/** Returns a delivery attempt with its request and response. @throws AppError `notFound` */
export async function describeDelivery(
  ctx: Context,
  grant: DocumentGrant,
  { id, delivery }: { id: string; delivery: number },
): Promise<WebhookDeliveryContent> {
  const { attempt, kind, body } = await ctx.documents.call(grant, "webhooks.sent", { id, attempt: delivery });
  return { ...toWebhookDelivery(attempt), event: kind, body, answer: attempt.outcome.answer ?? null };
}

/**
 * Resends a delivery immediately, regardless of the queue, and returns the receiver's response. Does not affect the
 * queue or the statistics.
 * @throws AppError `notFound`
 */
export async function redeliver(
  ctx: Context,
  grant: DocumentGrant,
  { id, delivery }: { id: string; delivery: number },
): Promise<WebhookSendResult> {
  const { batch, kind, body } = await ctx.documents.call(grant, "webhooks.sent", { id, attempt: delivery });
  return sendNow(ctx, grant, id, { id: batch, kind, body });
}

/** Sends a sample row, and returns the receiver's response. @throws AppError `notFound` */
export async function testWebhook(ctx: Context, grant: DocumentGrant, id: string): Promise<WebhookSendResult> {
  const body = await ctx.documents.call(grant, "webhooks.sample", { id });
  return sendNow(ctx, grant, id, { id: `msg_test_${newUuid().replaceAll("-", "")}`, kind: "rows", body });
}

async function sendNow(
  ctx: Context,
  grant: DocumentGrant,
  id: string,
  message: DeliveryMessage,
): Promise<WebhookSendResult> {
  const sent = await ctx.webhooks.send(findSecrets(ctx, grant, id), message);
  return {
    success: sent.isSuccess,
    messageId: message.id,
    httpStatus: sent.httpStatus,
    answer: sent.answer,
    errorMessage: sent.message,
    durationMs: sent.durationMs,
  };
}
