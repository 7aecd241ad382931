import { z } from "@hono/zod-openapi";
import { describeDelivery, listDeliveries, redeliver, testWebhook } from "../../services/webhook-deliveries.ts";
import {
  clearQueue,
  createWebhooks,
  deleteWebhook,
  listWebhooks,
  modifyWebhook,
  renewSecret,
  subscribe,
  unsubscribe,
} from "../../services/webhooks.ts";
import { DocParams, TableParams } from "../../wire/params.ts";
import { flag } from "../../wire/query.ts";
import {
  DeliveryParams,
  Success,
  WebhookAnswer,
  WebhookChange,
  WebhookDeliveries,
  WebhookDeliveryContent,
  WebhookParams,
  Webhooks,
  WebhooksCreate,
  WebhooksCreated,
  WebhookSecret,
  WebhookSubscribed,
  WebhookSubscription,
  WebhookUnsubscription,
} from "../../wire/webhooks.ts";
import { documentContent } from "../access.ts";
import { json } from "../answers.ts";
import { jsonBody, route, type Route } from "../route.ts";

const path = "/api/docs/{docId}/webhooks";
const one = `${path}/{webhookId}`;
const tag = "webhooks";
const owners = documentContent("owners");

const definition: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "listWebhooks",
      tag,
      summary: "List the webhooks of a document",
      about: "In the order they were made, each with how it fares.",
      access: owners,
      params: DocParams,
      answer: Webhooks,
    },
    async ({ ctx, grant }) => json(await listWebhooks(ctx, grant)),
  ),
  route(
    {
      method: "post",
      path,
      id: "createWebhooks",
      tag,
      summary: "Create webhooks",
      about:
        "All of them or none. The rows of a table that were added or changed are sent to the url as a JSON list. It must be a public https address, unless the server's settings allow others.",
      access: owners,
      params: DocParams,
      query: z.object({ secrets: flag("The answer tells the secrets that deliveries are signed with.") }),
      body: jsonBody(WebhooksCreate),
      answer: WebhooksCreated,
    },
    async ({ ctx, grant, query, body }) => json(await createWebhooks(ctx, grant, body, { withSecrets: query.secrets })),
  ),
  route(
    {
      method: "delete",
      path: `${path}/queue`,
      id: "clearWebhookQueues",
      tag,
      summary: "Forget what waits for all webhooks of a document",
      access: owners,
      params: DocParams,
      answer: Success,
    },
    async ({ ctx, grant }) => json(await clearQueue(ctx, grant, null)),
  ),
  route(
    {
      method: "delete",
      path: `${path}/queue/{webhookId}`,
      id: "clearWebhookQueue",
      tag,
      summary: "Forget what waits for a webhook",
      about: "The usage of all webhooks of the document begins anew.",
      access: owners,
      params: WebhookParams,
      answer: Success,
    },
    async ({ ctx, grant, params }) => json(await clearQueue(ctx, grant, params.webhookId)),
  ),
  route(
    {
      method: "patch",
      path: one,
      id: "modifyWebhook",
      tag,
      summary: "Modify a webhook",
      about:
        "Switching it off forgets what waits for it. Another table takes watched columns away, and the ready column unless it is named again.",
      access: owners,
      params: WebhookParams,
      body: jsonBody(WebhookChange),
      answer: Success,
    },
    async ({ ctx, grant, params, body }) => json(await modifyWebhook(ctx, grant, params.webhookId, body)),
  ),
  route(
    {
      method: "delete",
      path: one,
      id: "deleteWebhook",
      tag,
      summary: "Delete a webhook",
      access: owners,
      params: WebhookParams,
      answer: Success,
    },
    async ({ ctx, grant, params }) => json(await deleteWebhook(ctx, grant, params.webhookId)),
  ),
];

const deliveries: readonly Route[] = [
  route(
    {
      method: "post",
      path: `${one}/secret`,
      id: "renewWebhookSecret",
      tag,
      summary: "Give a webhook another signing secret",
      about: "The answer is the only time it can be seen; the former one holds no longer.",
      access: owners,
      params: WebhookParams,
      answer: WebhookSecret,
    },
    ({ ctx, grant, params }) => json(renewSecret(ctx, grant, params.webhookId)),
  ),
  route(
    {
      method: "post",
      path: `${one}/test`,
      id: "testWebhook",
      tag,
      summary: "Send a sample to a webhook",
      about: "The first row of its table, or one as a new row would be. Tells what the receiver answers.",
      access: owners,
      params: WebhookParams,
      isLong: true,
      answer: WebhookAnswer,
    },
    async ({ ctx, grant, params }) => {
      return json(await testWebhook(ctx, grant, params.webhookId));
    },
  ),
  route(
    {
      method: "get",
      path: `${one}/deliveries`,
      id: "listWebhookDeliveries",
      tag,
      summary: "List the last 50 tries of a webhook",
      about: "Newest first.",
      access: owners,
      params: WebhookParams,
      answer: WebhookDeliveries,
    },
    async ({ ctx, grant, params }) => json(await listDeliveries(ctx, grant, params.webhookId)),
  ),
  route(
    {
      method: "get",
      path: `${one}/deliveries/{deliveryId}`,
      id: "getWebhookDelivery",
      tag,
      summary: "Show a try of a webhook, with what was sent and answered",
      access: owners,
      params: DeliveryParams,
      answer: WebhookDeliveryContent,
    },
    async ({ ctx, grant, params }) => {
      return json(await describeDelivery(ctx, grant, { id: params.webhookId, delivery: params.deliveryId }));
    },
  ),
  route(
    {
      method: "post",
      path: `${one}/deliveries/{deliveryId}/redeliver`,
      id: "redeliverWebhook",
      tag,
      summary: "Send once more what was sent to a webhook",
      about: "At once, with the same webhook-id and a new signature. Tells what the receiver answers.",
      access: owners,
      params: DeliveryParams,
      isLong: true,
      answer: WebhookAnswer,
    },
    async ({ ctx, grant, params }) => {
      return json(await redeliver(ctx, grant, { id: params.webhookId, delivery: params.deliveryId }));
    },
  ),
];

/** As automation services make and end webhooks. */
const subscriptions: readonly Route[] = [
  route(
    {
      method: "post",
      path: "/api/docs/{docId}/tables/{tableId}/_subscribe",
      id: "subscribe",
      tag,
      summary: "Create a webhook for a table (old form)",
      access: owners,
      params: TableParams,
      body: jsonBody(WebhookSubscription),
      answer: WebhookSubscribed,
    },
    async ({ ctx, grant, params, body }) => json(await subscribe(ctx, grant, params.tableId, body)),
  ),
  route(
    {
      method: "post",
      path: "/api/docs/{docId}/tables/{tableId}/_unsubscribe",
      id: "unsubscribe",
      tag,
      summary: "Delete a webhook (old form)",
      about: "Owners need no key, editors do.",
      access: documentContent("editors"),
      params: TableParams,
      body: jsonBody(WebhookUnsubscription),
      answer: Success,
    },
    async ({ ctx, grant, body }) => json(await unsubscribe(ctx, grant, body)),
  ),
];

export const webhookRoutes: readonly Route[] = [...definition, ...deliveries, ...subscriptions];
