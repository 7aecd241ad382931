import { z } from "../../wire/common/schema.ts";
import {
  describeDelivery,
  listDeliveries,
  redeliver,
  testWebhook,
} from "../../services/webhooks/webhook-deliveries.ts";
import {
  type AddedWebhook,
  clearQueue,
  createWebhooks,
  deleteWebhook,
  listWebhooks,
  modifyWebhook,
  renewSecret,
  subscribe,
  unsubscribe,
  WEBHOOK_SUCCESS,
} from "../../services/webhooks/webhooks.ts";
import { DocParams, TableParams } from "../../wire/common/params.ts";
import { flag } from "../../wire/common/query.ts";
import {
  DeliveryParams,
  Success,
  WebhookSendResult,
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
} from "../../wire/webhooks/webhooks.ts";
import { documentContentAccess } from "../route-access.ts";
import { jsonResponse } from "../responses.ts";
import { jsonBody, route, type Route } from "../route.ts";

const path = "/api/docs/{docId}/webhooks";
const webhookPath = `${path}/{webhookId}`;
const tag = "webhooks";
const ownerAccess = documentContentAccess("owners");

const definitionRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "listWebhooks",
      tag,
      summary: "List the webhooks of a document",
      about: "In order of creation, each with its delivery status.",
      access: ownerAccess,
      params: DocParams,
      response: Webhooks,
    },
    async ({ ctx, grant }) => jsonResponse(await listWebhooks(ctx, grant)),
  ),
  route(
    {
      method: "post",
      path,
      id: "createWebhooks",
      tag,
      summary: "Create webhooks",
      about:
        "Creates all webhooks, or none. A webhook sends added and changed rows of a table to its URL as a JSON array. The URL must be a public https address, unless the server's settings allow others.",
      access: ownerAccess,
      requestClass: "home",
      params: DocParams,
      query: z.object({ secrets: flag("Include the signing secrets in the response. Default: false.") }),
      body: jsonBody(WebhooksCreate),
      idempotency: {
        store: "document",
        answerOf: (_, added) => ({ webhooks: (added as AddedWebhook[]).map(({ id }) => ({ id })) }),
        ignoredWith: ["secrets"],
      },
      response: WebhooksCreated,
    },
    async ({ ctx, grant, query, body }) =>
      jsonResponse(await createWebhooks(ctx, grant, body, { withSecrets: query.secrets })),
  ),
  route(
    {
      method: "delete",
      path: `${path}/queue`,
      id: "clearWebhookQueues",
      tag,
      summary: "Clear the queues of all webhooks of a document",
      access: ownerAccess,
      params: DocParams,
      idempotency: { answerOf: () => WEBHOOK_SUCCESS },
      response: Success,
    },
    async ({ ctx, grant }) => jsonResponse(await clearQueue(ctx, grant, null)),
  ),
  route(
    {
      method: "delete",
      path: `${path}/queue/{webhookId}`,
      id: "clearWebhookQueue",
      tag,
      summary: "Clear the queue of a webhook",
      about: "Resets the usage statistics of all webhooks of the document.",
      access: ownerAccess,
      params: WebhookParams,
      idempotency: { answerOf: () => WEBHOOK_SUCCESS },
      response: Success,
    },
    async ({ ctx, grant, params }) => jsonResponse(await clearQueue(ctx, grant, params.webhookId)),
  ),
  route(
    {
      method: "patch",
      path: webhookPath,
      id: "modifyWebhook",
      tag,
      summary: "Modify a webhook",
      about:
        "Disabling a webhook clears its queue. Changing `tableId` resets `watchedColIds`, and `isReadyColumn` unless it is given as well.",
      access: ownerAccess,
      requestClass: "home",
      params: WebhookParams,
      body: jsonBody(WebhookChange),
      idempotency: { store: "document" },
      response: Success,
    },
    async ({ ctx, grant, params, body }) => jsonResponse(await modifyWebhook(ctx, grant, params.webhookId, body)),
  ),
  route(
    {
      method: "delete",
      path: webhookPath,
      id: "deleteWebhook",
      tag,
      summary: "Delete a webhook",
      access: ownerAccess,
      requestClass: "home",
      params: WebhookParams,
      idempotency: { store: "document", answerOf: () => WEBHOOK_SUCCESS },
      response: Success,
    },
    async ({ ctx, grant, params }) => jsonResponse(await deleteWebhook(ctx, grant, params.webhookId)),
  ),
];

const deliveryRoutes: readonly Route[] = [
  route(
    {
      method: "post",
      path: `${webhookPath}/secret`,
      id: "renewWebhookSecret",
      tag,
      summary: "Renew the signing secret of a webhook",
      about: "The secret cannot be retrieved later. The previous secret becomes invalid.",
      access: ownerAccess,
      requestClass: "home",
      params: WebhookParams,
      idempotency: "ignored",
      response: WebhookSecret,
    },
    ({ ctx, grant, params }) => jsonResponse(renewSecret(ctx, grant, params.webhookId)),
  ),
  route(
    {
      method: "post",
      path: `${webhookPath}/test`,
      id: "testWebhook",
      tag,
      summary: "Send a test delivery",
      about:
        "Sends the first row of the table, or a sample row if the table is empty. Returns the receiver's response.",
      access: ownerAccess,
      params: WebhookParams,
      isLong: true,
      response: WebhookSendResult,
    },
    async ({ ctx, grant, params }) => {
      return jsonResponse(await testWebhook(ctx, grant, params.webhookId));
    },
  ),
  route(
    {
      method: "get",
      path: `${webhookPath}/deliveries`,
      id: "listWebhookDeliveries",
      tag,
      summary: "List the last 50 delivery attempts of a webhook",
      about: "Newest first.",
      access: ownerAccess,
      params: WebhookParams,
      response: WebhookDeliveries,
    },
    async ({ ctx, grant, params }) => jsonResponse(await listDeliveries(ctx, grant, params.webhookId)),
  ),
  route(
    {
      method: "get",
      path: `${webhookPath}/deliveries/{deliveryId}`,
      id: "getWebhookDelivery",
      tag,
      summary: "Get a delivery attempt with its request and response",
      access: ownerAccess,
      params: DeliveryParams,
      response: WebhookDeliveryContent,
    },
    async ({ ctx, grant, params }) => {
      return jsonResponse(await describeDelivery(ctx, grant, { id: params.webhookId, delivery: params.deliveryId }));
    },
  ),
  route(
    {
      method: "post",
      path: `${webhookPath}/deliveries/{deliveryId}/redeliver`,
      id: "redeliverWebhook",
      tag,
      summary: "Redeliver",
      about:
        "Resends the delivery immediately, with the same `webhook-id` and a new signature. Returns the receiver's response.",
      access: ownerAccess,
      params: DeliveryParams,
      isLong: true,
      response: WebhookSendResult,
    },
    async ({ ctx, grant, params }) => {
      return jsonResponse(await redeliver(ctx, grant, { id: params.webhookId, delivery: params.deliveryId }));
    },
  ),
];

/** Routes that automation services use to create and delete webhooks. */
const subscriptionRoutes: readonly Route[] = [
  route(
    {
      method: "post",
      path: "/api/docs/{docId}/tables/{tableId}/_subscribe",
      id: "subscribe",
      tag,
      summary: "Create a webhook for a table (legacy)",
      access: ownerAccess,
      requestClass: "home",
      params: TableParams,
      body: jsonBody(WebhookSubscription),
      idempotency: "ignored",
      response: WebhookSubscribed,
    },
    async ({ ctx, grant, params, body }) => jsonResponse(await subscribe(ctx, grant, params.tableId, body)),
  ),
  route(
    {
      method: "post",
      path: "/api/docs/{docId}/tables/{tableId}/_unsubscribe",
      id: "unsubscribe",
      tag,
      summary: "Delete a webhook (legacy)",
      about: "Editors must provide `unsubscribeKey`; owners need not.",
      access: documentContentAccess("editors"),
      requestClass: "home",
      params: TableParams,
      body: jsonBody(WebhookUnsubscription),
      idempotency: { store: "document", answerOf: () => WEBHOOK_SUCCESS },
      response: Success,
    },
    async ({ ctx, grant, body }) => jsonResponse(await unsubscribe(ctx, grant, body)),
  ),
];

export const webhookRoutes: readonly Route[] = [...definitionRoutes, ...deliveryRoutes, ...subscriptionRoutes];
